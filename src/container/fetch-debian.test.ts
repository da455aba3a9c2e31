import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTar } from 'nanotar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunCommand } from '../base/command.ts';
import { fetchDebian } from './fetch-debian.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-debian-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Fakes of apt and dpkg-deb. apt finds the package only if `isFound` returns true. */
function fakeCommands(isFound: (argv: readonly string[]) => boolean) {
  const calls: string[] = [];
  const run: RunCommand = async (argv) => {
    calls.push(argv.join(' '));
    const answer = (code: number, stdout: Uint8Array | string = '') => ({
      outcome: 'exited' as const,
      code,
      stdout: Buffer.from(stdout),
      stderr: code === 0 ? '' : 'E: Unable to locate package libc6\n',
    });
    if (argv.includes('--field')) return answer(0, 'Package: libc6\nVersion: 2.36-9\n');
    if (argv.includes('--fsys-tarfile')) {
      return answer(0, createTar([{ name: './lib/' }, { name: './lib/libc.so.6', data: 'libc' }]));
    }
    if (argv.includes('update')) return answer(0);
    if (!isFound(argv)) return answer(100);
    writeFileSync(join(folder, 'packages/libc6.deb'), '');
    return answer(0);
  };
  return { run, calls };
}

describe('fetchDebian', () => {
  it('unpacks the packages that apt downloads, without installing them', async () => {
    const { run, calls } = fakeCommands(() => true);
    const [libc6] = await fetchDebian(['libc6'], folder, run);
    expect(libc6).toMatchObject({ name: 'libc6', version: '2.36-9' });
    expect([...libc6!.files].map(([path, bytes]) => [path, Buffer.from(bytes).toString()])).toEqual([
      ['lib/libc.so.6', 'libc'],
    ]);
    expect(calls.join('\n')).not.toMatch(/update|install /);
  });

  it('downloads separate package lists if the machine has none, and does not change the lists of the machine', async () => {
    const { run, calls } = fakeCommands((argv) => argv.includes(`Dir::State=${join(folder, 'apt/state')}`));
    expect(await fetchDebian(['libc6'], folder, run)).toHaveLength(1);
    const update = calls.find((call) => call.endsWith(' update'));
    expect(update).toContain(`Dir::State=${join(folder, 'apt/state')}`);
    expect(update).toContain(`Dir::Cache=${join(folder, 'apt/cache')}`);
  });

  it('downloads separate package lists for another architecture at once', async () => {
    const { run, calls } = fakeCommands(() => true);
    await fetchDebian(['libc6'], folder, run, 'arm64');
    const apt = calls.filter((call) => call.includes('apt-get'));
    expect(apt).toHaveLength(2);
    for (const call of apt) {
      expect(call).toContain('-o APT::Architecture=arm64 -o APT::Architectures=arm64');
      expect(call).toContain(`Dir::State=${join(folder, 'apt/state')}`);
    }
  });

  it('prints the error of apt if a package does not exist', async () => {
    await expect(fetchDebian(['libc6'], folder, fakeCommands(() => false).run)).rejects.toMatchObject({
      code: 'container/no-packages',
      message: expect.stringContaining('Unable to locate package'),
    });
  });
});

import { mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { RunCommand } from '../../../base/command.ts';
import type { Cache } from '../../fetch/cache.ts';
import type { Artifact } from '../../lock/lock.ts';
import { makePackageRepository } from './package-repository.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart packages-'));
afterAll(() => rmSync(folder, { recursive: true }));

const deb = (component: string, version: string): Artifact => ({
  ...{ component, kind: 'deb', version, origin: 'debian:bookworm', path: `pool/${component}.deb` },
  ...{ sha256: component.padEnd(64, '0'), bytes: 7, licence: 'MIT' },
});
const opened: string[] = [];
const cache = {
  open: async ({ sha256 }) => {
    opened.push(sha256);
    return `/cache/${sha256}`;
  },
} as Partial<Cache> as Cache;
/** A fake dpkg-deb that prints control fields. */
const run: RunCommand = async (argv) => {
  const name = argv.at(-1)!.split('/').at(-1)!.replace(/0+$/, '');
  const stdout = Buffer.from(`Package: ${name}\nVersion: 1:2.0\nInstalled-Size: 12\nDescription: some\n words\n`);
  return { outcome: 'exited', code: 0, stdout, stderr: '' };
};

describe('makePackageRepository', () => {
  it('indexes packages with the hash of the lock, and links their files', async () => {
    const repository = await makePackageRepository([deb('a', '1:2.0'), deb('b', '1:2.0')], join(folder, 'one'), {
      cache,
      run,
    });
    expect(repository.packages).toEqual([
      { name: 'a', version: '1:2.0', bytes: 12 * 1024 },
      { name: 'b', version: '1:2.0', bytes: 12 * 1024 },
    ]);
    const index = readFileSync(join(folder, 'one/Packages'), 'utf8');
    const entries = index.trimEnd().split('\n\n');
    expect(entries[1]).toBe(
      `Package: b\nVersion: 1:2.0\nInstalled-Size: 12\nDescription: some\n words\nFilename: ./1.deb\nSize: 7\nSHA256: ${'b'.padEnd(64, '0')}`,
    );
    expect(readlinkSync(join(folder, 'one/1.deb'))).toBe(`/cache/${'b'.padEnd(64, '0')}`);
    expect(opened.sort()).toEqual(['a', 'b'].map((name) => name.padEnd(64, '0')));
  });

  it('encodes spaces in the path of the source line', async () => {
    const { source } = await makePackageRepository([], join(folder, 'two'), { cache, run });
    expect(source).toBe(`deb [trusted=yes] copy:${join(folder, 'two').replaceAll(' ', '%20')} ./`);
  });

  it('refuses a package with another version than the lock', async () => {
    const made = makePackageRepository([deb('a', '3.0')], join(folder, 'three'), { cache, run });
    await expect(made).rejects.toMatchObject({
      code: 'image/wrong-package',
      message: expect.stringContaining('expected version 3.0'),
    });
  });
});

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createTar } from 'nanotar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunCommand } from '../base/command.ts';
import { DEBIAN_PACKAGES } from './debian-files.ts';
import { fetchLockedPackages, LOCK_FILE, type LockedDeb, type PackageLock, sha256Of } from './locked-packages.ts';
import { IMAGE_PLATFORMS } from './platform.ts';

let cache: string;
beforeEach(() => {
  cache = join(mkdtempSync(join(tmpdir(), 'headstart-locked-')), 'cache');
});
afterEach(() => rmSync(join(cache, '..'), { recursive: true }));

/** A mirror with one version of each package. A package's file has its name and version as its bytes. */
function fakeApt(versions: Record<string, string>) {
  const downloads: string[] = [];
  const run: RunCommand = async (argv) => {
    const answer = (code: number, stdout: Uint8Array | string = '') => ({
      outcome: 'exited' as const,
      code,
      stdout: Buffer.from(stdout),
      stderr: code === 0 ? '' : 'E: Version was not found\n',
    });
    const archive = argv.at(-1)!;
    if (argv.includes('--fsys-tarfile')) return answer(0, createTar([{ name: './file', data: basename(archive) }]));
    if (argv[0] === 'dpkg-deb') {
      const [name, version] = readFileSync(argv[2]!, 'utf8').split(' ');
      return answer(0, `Package: ${name}\nVersion: ${version}\n`);
    }
    if (argv.includes('update')) return answer(0);
    const folder = argv.find((word) => word.startsWith('--chdir='))!.slice('--chdir='.length);
    const wanted = argv.slice(argv.indexOf('download') + 1).map((word) => word.split('='));
    if (wanted.some(([name, version]) => version !== undefined && versions[name!] !== version)) return answer(100);
    for (const [name] of wanted) {
      downloads.push(name!);
      writeFileSync(join(folder, `${name}.deb`), `${name} ${versions[name!]}`);
    }
    return answer(0);
  };
  return { run, downloads };
}

const locked = (name: string, version: string): LockedDeb => ({
  name,
  version,
  sha256: sha256Of(Buffer.from(`${name} ${version}`)),
});
const lock = [locked('libc6', '1'), locked('libm', '2')];
const versionsOf = (packages: readonly { name: string; version: string }[]) =>
  packages.map(({ name, version }) => `${name} ${version}`);

describe('fetchLockedPackages', () => {
  it('downloads the locked versions once, and needs no mirror afterwards', async () => {
    const first = fakeApt({ libc6: '1', libm: '2' });
    const { packages, replaced } = await fetchLockedPackages(lock, { run: first.run, cache });
    expect([versionsOf(packages), replaced]).toEqual([['libc6 1', 'libm 2'], []]);
    const later = fakeApt({});
    expect(versionsOf((await fetchLockedPackages(lock, { run: later.run, cache })).packages)).toEqual([
      'libc6 1',
      'libm 2',
    ]);
    expect(later.downloads).toEqual([]);
    expect(readdirSync(cache).sort()).toEqual(lock.map(({ name, sha256 }) => `${name}-${sha256.slice(0, 16)}.deb`));
  });

  it('downloads a cached file again if its bytes were changed', async () => {
    mkdirSync(cache);
    const [libc6] = lock;
    writeFileSync(join(cache, `libc6-${libc6!.sha256.slice(0, 16)}.deb`), 'other');
    const { run, downloads } = fakeApt({ libc6: '1', libm: '2' });
    await fetchLockedPackages(lock, { run, cache });
    expect(downloads).toEqual(['libc6', 'libm']);
  });

  it('takes the newer version of a package that Debian replaced, names it, and does not cache it', async () => {
    const { run } = fakeApt({ libc6: '1', libm: '3' });
    const { packages, replaced } = await fetchLockedPackages(lock, { run, cache });
    expect([versionsOf(packages), replaced]).toEqual([['libc6 1', 'libm 3'], ['libm 3 instead of 2']]);
    expect(readdirSync(cache)).toEqual([expect.stringMatching(/^libc6-/)]);
  });

  it('refuses other bytes of the locked version', async () => {
    const other = [{ ...lock[0]!, sha256: '0'.repeat(64) }];
    await expect(fetchLockedPackages(other, { run: fakeApt({ libc6: '1' }).run, cache })).rejects.toMatchObject({
      code: 'container/other-package',
    });
    expect(readdirSync(cache)).toEqual([]);
  });
});

it('packages.lock.json pins every package for every architecture; otherwise run `make image-lock`', () => {
  const pinned = JSON.parse(readFileSync(LOCK_FILE, 'utf8')) as PackageLock;
  for (const { architecture } of IMAGE_PLATFORMS) {
    expect(pinned[architecture].map(({ name }) => name)).toEqual(DEBIAN_PACKAGES.toSorted());
  }
});

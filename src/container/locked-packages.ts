// container/locked-packages.ts: the Debian packages that packages.lock.json pins: from the cache, or downloaded once and checked by their hash.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureCacheFolder } from '../base/cache-folder.ts';
import type { RunCommand } from '../base/command.ts';
import { UserError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files.ts';
import type { DebianPackage } from './debian-files.ts';
import { downloadDebian, openDebian } from './fetch-debian.ts';
import type { ImagePlatform } from './platform.ts';

export interface LockedDeb {
  name: string;
  version: string;
  /** Of the package's file, in hex. */
  sha256: string;
}

export type PackageLock = Record<ImagePlatform['architecture'], LockedDeb[]>;

export const LOCK_FILE = join(import.meta.dirname, 'packages.lock.json');

interface Deps {
  run: RunCommand;
  /** Keeps packages for later builds, by their hash. */
  cache: string;
  /** Undefined: this machine's. */
  architecture?: string | undefined;
}

export interface LockedPackages {
  /** In the order of the lock. */
  packages: DebianPackage[];
  /** One line for each package that Debian replaced: the image has the newer one. */
  replaced: string[];
}

/**
 * A mirror keeps the newest version of a package only. A build does not fail on the day of a security update: it takes the new version
 * and says so.
 */
export async function fetchLockedPackages(locked: readonly LockedDeb[], deps: Deps): Promise<LockedPackages> {
  ensureCacheFolder(deps.cache);
  const missing = locked.filter((deb) => !isCached(deb, deps.cache));
  const folder = mkdtempSync(join(deps.cache, '.fetch-'));
  try {
    const downloaded = missing.length === 0 ? [] : await download(missing, folder, deps);
    const replaced: string[] = [];
    const packages: DebianPackage[] = [];
    for (const deb of locked) {
      const other = downloaded.find(({ name, sha256 }) => name === deb.name && sha256 !== deb.sha256);
      packages.push(other ?? (await openDebian(cachePath(deb, deps.cache), deps.run)));
      if (other) replaced.push(`${deb.name} ${other.version} instead of ${deb.version}`);
    }
    return { packages, replaced };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface PackageFile extends DebianPackage {
  sha256: string;
}

/** Keeps those that the lock names in the cache. */
async function download(missing: readonly LockedDeb[], folder: string, deps: Deps): Promise<PackageFile[]> {
  const archives = await downloadNewest(missing, folder, deps);
  return Promise.all(
    archives.map(async (archive) => {
      const bytes = readFileSync(archive);
      const found = { ...(await openDebian(archive, deps.run)), sha256: sha256Of(bytes) };
      const wanted = missing.find(({ name }) => name === found.name);
      if (found.sha256 === wanted?.sha256) writeFileAtomic(cachePath(wanted, deps.cache), bytes, 0o644);
      // apt checked the signature of the list that names these bytes; the same version with other bytes is another mirror's.
      else if (found.version === wanted?.version) throw otherBytes(wanted, found.sha256);
      return found;
    }),
  );
}

/** The locked versions, or the newest ones if one of them is not offered. */
async function downloadNewest(missing: readonly LockedDeb[], folder: string, deps: Deps): Promise<string[]> {
  const names = missing.map(({ name }) => name);
  const folders = ['locked', 'newest'].map((name) => join(folder, name)) as [string, string];
  for (const one of folders) mkdirSync(one);
  const exact = missing.map(({ name, version }) => `${name}=${version}`);
  return downloadDebian(exact, folders[0], deps.run, deps.architecture).catch((error) => {
    if (!(error instanceof UserError)) throw error;
    return downloadDebian(names, folders[1], deps.run, deps.architecture);
  });
}

function otherBytes({ name, version, sha256 }: LockedDeb, found: string): UserError {
  return new UserError(`${name} ${version} has the hash ${found}, but packages.lock.json pins ${sha256}`, {
    code: 'container/other-package',
    kept: 'Nothing was written.',
    next: 'check which mirrors apt uses',
    exitCode: 1,
  });
}

function isCached(deb: LockedDeb, cache: string): boolean {
  const path = cachePath(deb, cache);
  return existsSync(path) && sha256Of(readFileSync(path)) === deb.sha256;
}

function cachePath({ name, sha256 }: LockedDeb, cache: string): string {
  return join(cache, `${name}-${sha256.slice(0, 16)}.deb`);
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

// cli/image/lock-manifest.ts: makes a lock of a manifest with this machine's cache, mirrors and apt, and tells how far it is.

import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../base/command.ts';
import { prepareCache } from '../../image/fetch/disk-cache.ts';
import type { ImageLock } from '../../image/lock/lock.ts';
import { makeLock } from '../../image/lock/make-lock.ts';
import { type OpenPackages, openPackages } from '../../image/lock/resolve-debs.ts';
import type { Architecture, Manifest } from '../../image/manifest/manifest.ts';
import { type CacheFlags, type OpenedCache, openCache } from '../compose/open-cache.ts';
import { orInterrupted } from '../or-interrupted.ts';
import type { Progress } from '../output/progress.ts';
import type { CliDeps } from '../verb.ts';

export interface Locking {
  options: CacheFlags;
  deps: CliDeps;
  progress: Progress;
}

export async function lockManifest(
  manifest: Manifest,
  architecture: Architecture,
  locking: Locking,
): Promise<ImageLock> {
  return withPackages(manifest, architecture, locking, (opened) => opened.lock(manifest));
}

export interface Opened extends OpenedCache, Pick<OpenPackages, 'index'> {
  /** Of a manifest with the same base. */
  lock(manifest: Manifest): Promise<ImageLock>;
}

/** The package lists are fetched once for all that `work` does with them, into a folder that is gone afterwards. */
export async function withPackages<T>(
  { base: { origin } }: Manifest,
  architecture: Architecture,
  { options, deps, progress }: Locking,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const signal = deps.signal();
  const onWaiting = progress.waiting;
  const opened = await openCache(options, deps, origin);
  const { cache, mirrors, sources } = opened;
  await prepareCache(cache.folder);
  const folder = await scratchIn(join(cache.folder, 'apt'), deps.nowUs() / 1000);
  const told = {
    code: 'image/interrupted',
    kept: 'No lock was written; what was fetched is in the cache.',
    next: 'run the same command again',
  };
  try {
    return await orInterrupted(signal, told, async () => {
      const aptDeps = { run: runCommand, mirrors, aptConf: sources.aptConf, folder, signal, onWaiting };
      const { index, resolve } = await openPackages({ origin, architecture }, aptDeps);
      const lock = (manifest: Manifest) =>
        makeLock(manifest, architecture, { cache, signal, onWaiting, resolveDebs: resolve });
      return work({ ...opened, index, lock });
    });
  } finally {
    progress.end();
    await rm(folder, { recursive: true, force: true });
  }
}

/** No lock takes that long: what is older was left by one that was killed. */
const LEFT_AFTER_MS = 6 * 3_600_000;

async function scratchIn(parent: string, nowMs: number): Promise<string> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  for (const name of await readdir(parent)) {
    const other = join(parent, name);
    const seen = await stat(other).catch(() => undefined); // another command may have removed it meanwhile
    if (seen && nowMs - seen.mtimeMs > LEFT_AFTER_MS) await rm(other, { recursive: true, force: true });
  }
  return mkdtemp(join(parent, 'lock-'));
}

// base/cache-folder.ts: where does this user keep what headstart fetched or built? All homes share it.
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { UserError } from './errors.ts';
import { whyUnwritable } from './why-unreadable.ts';

/** Only HEADSTART_CACHE can name a folder relative to the current one, where other users may be able to write. */
export function cacheFolder(
  env: Readonly<Record<string, string | undefined>>,
  ownHome = () => userInfo().homedir, // homedir() would return an empty or relative HOME
): string {
  if (env.HEADSTART_CACHE) return resolve(env.HEADSTART_CACHE);
  if (env.XDG_CACHE_HOME && isAbsolute(env.XDG_CACHE_HOME)) return join(env.XDG_CACHE_HOME, 'headstart');
  if (env.HOME && isAbsolute(env.HOME)) return join(env.HOME, '.cache', 'headstart');
  try {
    return join(ownHome(), '.cache', 'headstart');
  } catch (cause) {
    throw new UserError('no folder for the cache: this user has no home, and HOME names none', {
      code: 'cli/no-cache-folder',
      next: 'name a folder with HEADSTART_CACHE',
      cause,
    });
  }
}

/** Creates `folder`, the cache or a folder in it. */
export function ensureCacheFolder(folder: string, mode?: number): void {
  writeToCache(folder, () => {
    ensureFolder(folder, mode);
    accessSync(folder, constants.W_OK | constants.X_OK);
  });
}

/** If the system refuses the work, throws the error with the next step. */
export function writeToCache<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
    throw new UserError(`cannot write to the cache ${folder}: ${whyUnwritable(cause)}`, {
      code: 'cli/cache-unwritable',
      next: 'name a writable folder with HEADSTART_CACHE',
      exitCode: 1,
      cause,
    });
  }
}

/**
 * Creates a folder and its parents with `mode`; throws the system error. Unlike mkdir of Node.js with `recursive`, it returns where a
 * file system refuses new folders with ENOENT, as /proc does.
 */
export function ensureFolder(folder: string, mode = 0o777): void {
  if (!existsSync(dirname(folder))) ensureFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // the error of mkdir says why
  }
}

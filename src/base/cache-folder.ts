// base/cache-folder.ts: where does this user keep what headstart fetched or built? All homes share it.
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (env.HEADSTART_CACHE) return resolve(env.HEADSTART_CACHE);
  const base = env.XDG_CACHE_HOME;
  return join(base && isAbsolute(base) ? base : join(env.HOME ?? homedir(), '.cache'), 'headstart');
}

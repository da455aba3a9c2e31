// cli/compose/open-cache.ts: opens the download cache of this machine with its configured mirrors.
import { setGlobalProxyFromEnv } from 'node:http';
import { isAbsolute, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { runCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';
import { type PackageSources, readPackageSources } from '../../host/debian/package-sources.ts';
import { statfsFree } from '../../host/disk-space.ts';
import type { Cache } from '../../image/fetch/cache.ts';
import { createCache } from '../../image/fetch/disk-cache.ts';
import { createMirrors, type Mirrors } from '../../image/fetch/mirrors.ts';
import { proxyVariables } from '../../image/fetch/proxies.ts';
import { mirrorsFile, readMirrors } from '../../image/fetch/read-mirrors.ts';
import type { Origin } from '../../image/manifest/manifest.ts';
import type { CliDeps } from '../verb.ts';

export interface CacheFlags {
  cache?: string;
  mirrors?: string;
}

export interface OpenedCache {
  cache: Cache;
  mirrors: Mirrors;
  /** The apt sources of this machine, for the suite of the base. */
  sources: PackageSources;
}

export function withCacheOptions(command: Command): Command {
  return command
    .option(
      '--cache <FOLDER>',
      'the cache of downloads; default: $HEADSTART_CACHE/image, $XDG_CACHE_HOME/headstart/image or ~/.cache/headstart/image',
    )
    .option(
      '--mirrors <FILE>',
      'the mirrors to download from; default: $HEADSTART_MIRRORS, or headstart/mirrors.yaml in $XDG_CONFIG_HOME or ~/.config',
    );
}

/** `base`: the origin of the image's base, `debian:bookworm`. */
export async function openCache(options: CacheFlags, deps: CliDeps, base: Origin): Promise<OpenedCache> {
  const { env } = deps;
  const file = mirrorsFile(options.mirrors, env);
  const mustExist = Boolean(options.mirrors ?? env.HEADSTART_MIRRORS);
  const [configured, sources] = await Promise.all([
    readMirrors(file, { mustExist }),
    readPackageSources(base.replace(/^debian:/, ''), runCommand),
  ]);
  const mirrors = createMirrors({ mirrors: configured, file, aptLines: sources.lines });
  useProxies(proxyVariables(env, sources.aptConf));
  const cache = createCache({
    folder: imageCacheFolder(options, env),
    mirrors,
    fetch: globalThis.fetch,
    clock: systemClock,
    freeBytes: statfsFree,
  });
  return { cache, mirrors, sources };
}

function useProxies(variables: Record<string, string>): void {
  try {
    setGlobalProxyFromEnv(variables);
  } catch {
    // The original error quotes the value, which may contain a password.
    throw new UserError(`one of ${Object.keys(variables).join(', ')} is not the address of a proxy`, {
      code: 'image/bad-proxy',
      next: 'write it as http://HOST:PORT, in the environment or in the apt configuration',
    });
  }
}

export function imageCacheFolder({ cache }: CacheFlags, env: CliDeps['env']): string {
  if (cache) return resolve(cache);
  if (env.HEADSTART_CACHE) return resolve(env.HEADSTART_CACHE, 'image');
  // The XDG base directory specification says to ignore relative paths.
  if (env.XDG_CACHE_HOME && isAbsolute(env.XDG_CACHE_HOME)) return join(env.XDG_CACHE_HOME, 'headstart', 'image');
  if (env.HOME && isAbsolute(env.HOME)) return join(env.HOME, '.cache', 'headstart', 'image');
  throw new UserError('no folder for downloads: none of HEADSTART_CACHE, XDG_CACHE_HOME and HOME is an absolute path', {
    code: 'image/no-cache-folder',
    next: 'name a folder with --cache FOLDER',
  });
}

// image/fetch/disk-cache.ts: how is the cache stored? As a folder. A file gets its final name by rename once its hash is verified, so concurrent builds can share it.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, copyFile, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensureFolder } from '../../base/cache-folder.ts';
import type { Clock } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import { whyUnwritable } from '../../base/why-unreadable.ts';
import { checksumFile } from '../../host/file-sum.ts';
import { isFull, isMissing } from '../../host/json-file.ts';
import type { Cache, CacheOptions, FetchRequest } from './cache.ts';
import { diskFull, fetchInto } from './fetch-one.ts';
import { fetchProgress } from './fetch-progress.ts';
import type { FetchLocation, Mirrors } from './mirrors.ts';

export interface CacheDeps {
  folder: string;
  mirrors: Mirrors;
  fetch: typeof fetch;
  clock: Clock;
  freeBytes: (folder: string) => Promise<number>;
  /** Number of parallel downloads. */
  parallel?: number;
}

const PARALLEL = 8;
/** Free space to leave for the rest of the machine. */
const RESERVE_BYTES = 256 << 20;
/** A partial file without writes for this long is abandoned. */
const LEFT_AFTER_MS = 60_000;

export function createCache(deps: CacheDeps): Cache {
  const { folder } = deps;
  return {
    folder,
    fill: (requests, options = {}) => fill(deps, requests, options),
    open: (request, options = {}) => openVerified(folder, request, options),
    add: (file, options = {}) => add(folder, file, options),
  };
}

async function fill(
  deps: CacheDeps,
  requests: readonly FetchRequest[],
  { signal, onWaiting }: CacheOptions,
): Promise<void> {
  const { folder, mirrors } = deps;
  signal?.throwIfAborted();
  await prepareCache(folder);
  const distinct = [...new Map(requests.map((each) => [each.sha256, each])).values()];
  const missing: { request: FetchRequest; place: FetchLocation }[] = [];
  for (const each of distinct) {
    if (!(await isCached(folder, each))) missing.push({ request: each, place: mirrors.locate(each) });
  }
  if (missing.length === 0) return;
  await requireFreeSpace(
    deps,
    missing.map(({ request: { bytes } }) => bytes ?? 0),
  );

  const stop = new AbortController();
  const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const progress = fetchProgress(
    missing.map(({ request: each }) => each),
    onWaiting,
  );
  const queue = missing.values(); // shared: each worker takes the next request
  const workers = Array.from({ length: Math.min(deps.parallel ?? PARALLEL, missing.length) }, async () => {
    for (const { request: each, place } of queue) {
      const onBytes = (bytes: number) => progress.at(each, bytes);
      await fetchNew(deps, each, place, { signal: either, onBytes });
      progress.done(each);
    }
  });
  // The first failure stops the other workers. Wait for all of them, so that none writes after this returns.
  const ended = await Promise.allSettled(
    workers.map((worker) =>
      worker.catch((error: unknown) => {
        if (!stop.signal.aborted) stop.abort(error);
        throw error;
      }),
    ),
  );
  signal?.throwIfAborted();
  if (ended.some(({ status }) => status === 'rejected')) throw stop.signal.reason;
}

async function fetchNew(
  { folder, fetch, clock }: CacheDeps,
  request: FetchRequest,
  place: FetchLocation,
  options: { signal: AbortSignal; onBytes: (bytes: number) => void },
): Promise<void> {
  options.signal.throwIfAborted();
  const partial = join(partialFolder(folder), `${request.sha256}.${randomBytes(6).toString('hex')}`);
  await adoptPartialFile(folder, request, partial, clock);
  try {
    await fetchInto(partial, request, place, { fetch, clock, ...options });
  } catch (error) {
    // Keep a partial file only if it has bytes to resume from.
    if ((await lstatIfExists(partial))?.size === 0) await rm(partial, { force: true });
    throw error;
  }
  await moveIntoCache(folder, request, partial);
  for (const part of await partialFilesOf(folder, request)) await rm(part, { force: true });
}

/** Creates the folders, or throws an error with the next step if they are not writable. */
export async function prepareCache(folder: string): Promise<void> {
  try {
    ensureFolder(partialFolder(folder), 0o700);
    await access(partialFolder(folder), constants.W_OK);
  } catch (cause) {
    throw new UserError(`cannot write to the cache ${folder}: ${whyUnwritable(cause)}`, {
      code: 'image/cache-unusable',
      kept: 'Nothing was fetched.',
      next: 'choose a folder that you can write to with --cache',
      exitCode: 1,
      cause,
    });
  }
}

/** Another build may still write to a partial file, so copy it, and remove it only if it is abandoned. */
async function adoptPartialFile(folder: string, request: FetchRequest, into: string, clock: Clock): Promise<void> {
  const parts = await Promise.all(
    (await partialFilesOf(folder, request)).map(async (file) => ({ file, stat: await lstatIfExists(file) })),
  );
  const [largest] = parts.sort((a, b) => (b.stat?.size ?? 0) - (a.stat?.size ?? 0));
  if (!largest?.stat) return;
  try {
    await copyFile(largest.file, into, constants.COPYFILE_FICLONE);
  } catch (error) {
    await rm(into, { force: true });
    if (isFull(error)) throw diskFull(request, error);
    if (isMissing(error)) return;
    throw error;
  }
  for (const { file, stat: seen } of parts) {
    if (seen && clock.nowMs() - seen.mtimeMs > LEFT_AFTER_MS) await rm(file, { force: true });
  }
}

async function partialFilesOf(folder: string, { sha256 }: Pick<FetchRequest, 'sha256'>): Promise<string[]> {
  const names = await readdir(partialFolder(folder));
  return names.filter((name) => name.startsWith(`${sha256}.`)).map((name) => join(partialFolder(folder), name));
}

/**
 * Does not sync to disk. After a power cut the file may have wrong bytes, which `open` detects like any other damage. Syncing
 * hundreds of files would cost time without a benefit.
 */
async function moveIntoCache(folder: string, { sha256 }: Pick<FetchRequest, 'sha256'>, file: string): Promise<void> {
  const place = pathOf(folder, sha256);
  await mkdir(dirname(place), { recursive: true, mode: 0o700 });
  try {
    await chmod(file, 0o444);
    await rename(file, place);
  } catch (error) {
    // Another build stored the same file first and removed this partial file.
    if (!isMissing(error) || !(await lstatIfExists(place))) throw error;
  }
}

/** Checks only the size; `open` checks the bytes. */
async function isCached(folder: string, { sha256, bytes }: FetchRequest): Promise<boolean> {
  const place = pathOf(folder, sha256);
  const seen = await lstatIfExists(place);
  if (seen === undefined) return false;
  if (seen.isFile() && (bytes === undefined || seen.size === bytes)) return true;
  await moveAside(folder, sha256);
  return false;
}

async function openVerified(
  folder: string,
  { component, sha256 }: Pick<FetchRequest, 'component' | 'sha256'>,
  { signal }: CacheOptions,
): Promise<string> {
  signal?.throwIfAborted();
  const place = pathOf(folder, sha256);
  const seen = await lstatIfExists(place);
  if (!seen?.isFile()) {
    throw new UserError(`${component} is not in the cache ${folder} (sha256 ${sha256})`, {
      code: 'image/not-in-cache',
      next: 'run the same command without --offline on a machine that can reach the mirror',
      exitCode: 1,
    });
  }
  const got = await sumUnlessAborted(place, signal);
  if (got.sha256 === sha256) return place;
  await moveAside(folder, sha256);
  throw new UserError(`${component} is damaged in the cache: ${place} has sha256 ${got.sha256}, expected ${sha256}`, {
    code: 'image/cache-damaged',
    kept: `Nothing was built from it; the file was moved to ${damagedFolder(folder)}.`,
    next: 'run the same command again to fetch it again; if it happens again, check who can write there, and check the disk',
    exitCode: 1,
  });
}

async function add(folder: string, file: string, { signal }: CacheOptions): Promise<{ sha256: string; bytes: number }> {
  signal?.throwIfAborted();
  await prepareCache(folder);
  const copy = join(partialFolder(folder), `add.${randomBytes(6).toString('hex')}`);
  try {
    // Hash the copy, because the file itself may change meanwhile.
    await copyFile(file, copy, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    const sum = await sumUnlessAborted(copy, signal);
    await moveIntoCache(folder, sum, copy);
    return sum;
  } catch (error) {
    if (isFull(error)) throw diskFull({ component: file }, error);
    throw error;
  } finally {
    await rm(copy, { force: true });
  }
}

async function sumUnlessAborted(file: string, signal: AbortSignal | undefined) {
  try {
    return await checksumFile(file, signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

async function requireFreeSpace({ folder, freeBytes }: CacheDeps, sizes: readonly number[]): Promise<void> {
  const needed = sizes.reduce((sum, bytes) => sum + bytes, RESERVE_BYTES);
  const free = await freeBytes(folder);
  if (free >= needed) return;
  const inMib = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`;
  throw new UserError(`the files to fetch need ${inMib(needed)} in ${folder}, but only ${inMib(free)} are free`, {
    code: 'image/no-space',
    kept: 'Nothing was fetched.',
    next: 'free some space, or name a folder on another disk with --cache',
    exitCode: 1,
  });
}

async function moveAside(folder: string, sha256: string): Promise<void> {
  await mkdir(damagedFolder(folder), { recursive: true, mode: 0o700 });
  try {
    await rename(pathOf(folder, sha256), join(damagedFolder(folder), sha256));
  } catch (error) {
    if (!isMissing(error)) throw error; // another build moved it
  }
}

async function lstatIfExists(file: string) {
  try {
    return await lstat(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const pathOf = (folder: string, sha256: string) => join(folder, 'sha256', sha256.slice(0, 2), sha256);
const partialFolder = (folder: string) => join(folder, 'partial');
const damagedFolder = (folder: string) => join(folder, 'damaged');

// image/fetch/fetch-one.ts: how is one file fetched? It is hashed while streaming and resumed after an interruption. The partial file stays for the next run.
import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type Backoff, pauseMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { TransientError, UserError } from '../../base/errors.ts';
import { parseRetryAfter } from '../../base/retry-after.ts';
import { isFull, isMissing } from '../../host/json-file.ts';
import type { FetchRequest } from './cache.ts';
import type { FetchLocation } from './mirrors.ts';

export interface FetchDeps {
  fetch: typeof fetch;
  clock: Clock;
  signal: AbortSignal;
  /** Called with the number of bytes received so far. */
  onBytes: (bytes: number) => void;
}

const TRIES = 5;
const BACKOFF: Backoff = { firstMs: 1000, maxMs: 60_000, maxRetryAfterMs: 60_000 };
/** Larger than any file of an image; stops a mirror that never ends the response. */
const MAX_BYTES = 16 * 2 ** 30;

/** Returns when `file` contains exactly the requested bytes; it may already contain a part. On error the partial file stays. */
export async function fetchInto(
  file: string,
  request: FetchRequest,
  place: FetchLocation,
  deps: FetchDeps,
): Promise<void> {
  const handle = await open(file, 'a+', 0o600);
  try {
    const part = await PartialFile.of(handle, deps.signal);
    const isResumed = part.bytes > 0;
    const got = await fetchWhole(part, request, place, deps);
    if (got === request.sha256) return;
    // The resumed part may be wrong for reasons that are not the mirror's fault, so start again from zero once.
    if (isResumed) {
      await part.empty();
      if ((await fetchWhole(part, request, place, deps)) === request.sha256) return;
    }
    const { bytes } = part;
    const sha256 = part.digest();
    await part.empty();
    throw wrongDigest(request, place, { sha256, bytes });
  } catch (error) {
    if (isFull(error)) throw diskFull(request, error);
    throw error;
  } finally {
    await handle.close();
  }
}

/** Retries until the file is complete. A try that makes progress resets the count. */
async function fetchWhole(
  part: PartialFile,
  request: FetchRequest,
  place: FetchLocation,
  deps: FetchDeps,
): Promise<string> {
  let furthest = part.bytes;
  for (let tries = 1; ; tries++) {
    try {
      deps.onBytes(part.bytes);
      if (part.bytes !== request.bytes) await resumeReading(part, request, place, deps);
      return part.digest();
    } catch (error) {
      deps.signal.throwIfAborted();
      if (!(error instanceof TransientFailure)) throw error;
      if (part.bytes > furthest) tries = 1;
      furthest = Math.max(furthest, part.bytes);
      if (tries >= TRIES) throw mirrorUnreachable(request, place, error, tries);
      await deps.clock.sleep(pauseMs(tries, BACKOFF, error), deps.signal);
    }
  }
}

async function resumeReading(
  part: PartialFile,
  request: FetchRequest,
  place: FetchLocation,
  deps: FetchDeps,
): Promise<void> {
  const limit = request.bytes ?? MAX_BYTES;
  if (part.bytes > limit) await part.empty();
  const body = place.kind === 'file' ? await fromFile(part, request, place) : await fromUrl(part, request, place, deps);
  try {
    for await (const chunk of body) {
      deps.signal.throwIfAborted();
      // One byte more than expected is enough for the hash to differ.
      const rest = limit - part.bytes;
      await part.append(chunk.length > rest ? chunk.subarray(0, rest + 1) : chunk);
      deps.onBytes(part.bytes);
      if (part.bytes > limit) return;
    }
  } catch (error) {
    if (isFull(error) || place.kind === 'file' || deps.signal.aborted) throw error;
    throw new TransientFailure(reasonOf(error), error);
  }
  if (request.bytes !== undefined && part.bytes < request.bytes && place.kind === 'url') {
    throw new TransientFailure(`the response ended after ${part.bytes} of ${request.bytes} bytes`);
  }
}

type Body = AsyncIterable<Uint8Array>;

async function fromFile(
  part: PartialFile,
  request: FetchRequest,
  place: FetchLocation & { kind: 'file' },
): Promise<Body> {
  await part.empty(); // reading again is faster than checking the part
  try {
    // Follow links: the hash protects the content. O_NONBLOCK, because opening a pipe would block forever.
    const handle = await open(place.file, constants.O_RDONLY | constants.O_NONBLOCK);
    if ((await handle.stat()).isFile()) return handle.createReadStream({ highWaterMark: 1 << 20 });
    await handle.close();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw notOnMirror(request, place, isMissing(error) ? 'does not exist' : `cannot be read (${code})`, error);
  }
  throw notOnMirror(request, place, 'is not a plain file');
}

async function fromUrl(
  part: PartialFile,
  request: FetchRequest,
  { url, authorization, ...place }: FetchLocation & { kind: 'url' },
  { fetch, clock, signal }: FetchDeps,
): Promise<Body> {
  const response = await fetch(url.reveal(), {
    signal,
    headers: {
      // Decompression in transit would change the bytes.
      'accept-encoding': 'identity',
      ...(part.bytes > 0 && { range: `bytes=${part.bytes}-` }),
      ...(authorization && { authorization: authorization.reveal() }),
    },
  }).catch((error: unknown) => {
    throw signal.aborted ? error : new TransientFailure(`it is unreachable (${reasonOf(error)})`, error);
  });
  const { status } = response;
  const isContinued = status === 206 && response.headers.get('content-range')?.startsWith(`bytes ${part.bytes}-`);
  if (isContinued && response.body) return response.body;
  if (status === 200 && response.body) {
    await part.empty();
    return response.body;
  }
  await response.body?.cancel();
  if (status === 206 || status === 416) {
    await part.empty();
    throw new TransientFailure(`it does not support the requested range (${status})`);
  }
  if (status === 408 || status === 429 || status >= 500) {
    throw new TransientFailure(
      `it responded with ${status}`,
      undefined,
      parseRetryAfter(response.headers.get('retry-after'), clock.nowMs()),
    );
  }
  throw notOnMirror(request, { shown: place.shown }, `failed with status ${status}`);
}

/** The bytes received so far and their running hash. */
class PartialFile {
  bytes = 0;
  readonly #handle: FileHandle;
  #hash: Hash = createHash('sha256');

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async of(handle: FileHandle, signal: AbortSignal): Promise<PartialFile> {
    const part = new PartialFile(handle);
    const before = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: 1 << 20 });
    for await (const chunk of before as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      part.#hash.update(chunk);
      part.bytes += chunk.length;
    }
    return part;
  }

  async append(chunk: Uint8Array): Promise<void> {
    // Opened in append mode, so this writes at the end regardless of earlier reads.
    await this.#handle.appendFile(chunk);
    this.#hash.update(chunk);
    this.bytes += chunk.length;
  }

  async empty(): Promise<void> {
    await this.#handle.truncate(0);
    this.#hash = createHash('sha256');
    this.bytes = 0;
  }

  digest(): string {
    return this.#hash.copy().digest('hex');
  }
}

/** May succeed on retry. */
class TransientFailure extends Error {
  readonly retryAfterMs: number | undefined;

  constructor(what: string, cause?: unknown, retryAfterMs?: number) {
    super(what, { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

/** Fetch hides the reason in `cause`. Report only its code (ECONNREFUSED, ENOTFOUND), because the message may contain an address. */
function reasonOf(error: unknown): string {
  const { cause, code, name } = error as { cause?: { code?: string }; code?: string; name?: string };
  return cause?.code ?? code ?? name ?? 'unknown';
}

const KEPT = 'Files that were fetched before are kept; no wrong file entered the cache.';

function wrongDigest(request: FetchRequest, place: FetchLocation, got: { sha256: string; bytes: number }): UserError {
  const cut =
    request.bytes !== undefined && got.bytes > request.bytes
      ? `more than ${request.bytes} bytes`
      : `${got.sha256} (${got.bytes} bytes)`;
  return new UserError(
    `${request.component}: ${place.shown} does not match its hash: expected sha256 ${request.sha256}${request.bytes === undefined ? '' : ` (${request.bytes} bytes)`}, got ${cut}`,
    {
      code: 'image/wrong-digest',
      kept: KEPT,
      next: 'find out which hash is correct before you change the manifest; another mirror may have the right file',
      exitCode: 1,
    },
  );
}

function notOnMirror(
  request: FetchRequest,
  place: Pick<FetchLocation, 'shown'>,
  what: string,
  cause?: unknown,
): UserError {
  return new UserError(`${request.component}: ${place.shown} ${what} (origin ${request.origin})`, {
    code: 'image/not-on-mirror',
    kept: KEPT,
    next: `check the mirror of ${request.origin} in the mirrors file, and the path in the manifest`,
    exitCode: 1,
    cause,
  });
}

function mirrorUnreachable(
  request: FetchRequest,
  place: FetchLocation,
  last: TransientFailure,
  tries: number,
): TransientError {
  return new TransientError(`${request.component}: ${place.shown}: ${last.message}, ${tries} times in a row. ${KEPT}`, {
    code: 'image/mirror-unreachable',
    cause: last,
  });
}

export function diskFull(request: Pick<FetchRequest, 'component'>, cause: unknown): UserError {
  return new UserError(`cannot write ${request.component}: the disk is full`, {
    code: 'image/no-space',
    kept: KEPT,
    next: 'free some space, then run the same command again; it continues where it stopped',
    exitCode: 1,
    cause,
  });
}

// image/fetch/cache.ts: which files does this machine have, by sha256? All builds share the cache; every file is verified when it is opened.
import type { WaitReporter } from '../../base/call-options.ts';
import type { Artifact } from '../lock/lock.ts';

/** Where to fetch a file, and its hash. */
export interface FetchRequest extends Pick<Artifact, 'component' | 'origin' | 'path' | 'sha256'> {
  /** A lock has the size, a manifest does not. */
  bytes?: number | undefined;
}

export interface CacheOptions {
  signal?: AbortSignal | undefined;
  /** `the files to be fetched: 12 of 230, 34 of 210 MB`, with percent. */
  onWaiting?: WaitReporter | undefined;
}

export interface Cache {
  /** Contains `sha256/ab/abcdef…` (read-only files), `layers/` and `partial/`. */
  readonly folder: string;
  /** Fetches missing files in parallel, verifies them while streaming, and resumes interrupted ones. Throws unless all files arrive. */
  fill(requests: readonly FetchRequest[], options?: CacheOptions): Promise<void>;
  /** Returns the path after hashing the file again. Moves a damaged file aside and throws. Never fetches. */
  open(request: Pick<FetchRequest, 'component' | 'sha256'>, options?: CacheOptions): Promise<string>;
  /** Copies a local file into the cache. Returns its hash and size. */
  add(file: string, options?: CacheOptions): Promise<{ sha256: string; bytes: number }>;
}

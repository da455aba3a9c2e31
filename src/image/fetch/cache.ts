// image/fetch/cache.ts: bytes by their sha256, kept on this machine and shared by all builds. What comes out is what the hash says, or an error.
import type { Waiting } from '../../base/call-options.ts';
import type { Artifact } from '../lock/lock.ts';

/** What is needed to fetch something and to know that it is right. */
export interface FetchRequest extends Pick<Artifact, 'component' | 'origin' | 'path' | 'sha256'> {
  /** A manifest does not say, a lock does. */
  bytes?: number | undefined;
}

export interface CacheOptions {
  signal?: AbortSignal | undefined;
  /** `the files to be fetched: 12 of 230, 34 of 210 MB`, with percent. */
  onWaiting?: Waiting | undefined;
}

export interface Cache {
  /** Below it: `sha256/ab/abcdef…` (read-only files), `layers/`, `partial/`. */
  readonly folder: string;
  /** Fetches what is missing, several at a time, verified as it streams, going on with what was cut off. All of it or an error that names the component. */
  fill(wanted: readonly FetchRequest[], options?: CacheOptions): Promise<void>;
  /** The file, hashed again now. A byte that changed since: an error, and the file is set aside. Nothing is fetched. */
  open(wanted: Pick<FetchRequest, 'component' | 'sha256'>, options?: CacheOptions): Promise<string>;
  /** A file of this machine becomes part of the cache. Gives its hash and size. */
  add(file: string, options?: CacheOptions): Promise<{ sha256: string; bytes: number }>;
}

// node/metadata/source.ts: where can a document come from? The contract of all sources, and how they fail.
import type { InstanceFacts } from '../observe/facts.ts';
import type { ReasonCode } from '../reason-codes.ts';

export interface FetchedMetadata {
  /** As delivered. Undefined: the platform answered that this instance has none, which is not a failure. */
  document: Uint8Array | undefined;
  instance: InstanceFacts;
  /** Undefined: the platform does not mention a pool of prepared instances. */
  standby?: StandbyReport | undefined;
}

/**
 * in: the instance waits in a pool until it is claimed · out: it is in service · parked: the platform booted it before
 * it belongs to a customer · unknown: the answer says neither.
 */
export interface StandbyReport {
  is: 'in' | 'out' | 'parked' | 'unknown';
  /** Set if the answer was not understood. */
  oddity?: string | undefined;
}

export interface MetadataSource {
  /** For logs and status. */
  readonly name: string;
  /** The document cannot change, so one read is enough. */
  readonly isFixed: boolean;
  /** Makes one attempt. Rejects with a MetadataFailure, or with the reason of `signal` if that is aborted. */
  fetch(options: FetchOptions): Promise<FetchedMetadata>;
}

export interface FetchOptions {
  /** For each whole request. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** The platform did not answer, or its response is invalid. The message never quotes the response, which may contain a secret. */
export class MetadataFailure extends Error {
  readonly reason: ReasonCode;
  /** Retrying cannot help. */
  readonly isFinal: boolean;
  /** From the platform's Retry-After. */
  readonly retryAfterMs: number | undefined;

  constructor(
    reason: ReasonCode,
    message: string,
    details: { isFinal?: boolean; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause });
    this.name = 'MetadataFailure';
    this.reason = reason;
    this.isFinal = details.isFinal ?? false;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** Reads the first source that has a document. If a source fails, the later ones are not read. */
export function firstOf(sources: readonly [MetadataSource, ...MetadataSource[]]): MetadataSource {
  return {
    name: sources.map(({ name }) => name).join(', then '),
    isFixed: sources.every(({ isFixed }) => isFixed),
    async fetch(options) {
      const [first, ...others] = sources;
      const fetched = await first.fetch(options);
      for (const source of others) {
        if (fetched.document !== undefined) break;
        const { document } = await source.fetch(options);
        if (document !== undefined) return { ...fetched, document };
      }
      return fetched;
    },
  };
}

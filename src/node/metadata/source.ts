// node/metadata/source.ts: where can a document come from? The contract of all sources, and the kinds of failure they have.
import type { InstanceFacts } from '../observe/facts.ts';
import type { ReasonCode } from '../reason-codes.ts';

export interface FetchedMetadata {
  /** As delivered. Undefined: the platform answered, and there is none for this instance; that is no failure. */
  document: Uint8Array | undefined;
  instance: InstanceFacts;
}

export interface MetadataSource {
  /** For logs and status. */
  readonly name: string;
  /** It cannot change between two reads, so one is enough. */
  readonly isFixed: boolean;
  /** Asks once. Rejects with a MetadataFailure, or with the reason of `signal` when that is aborted. */
  fetch(options: FetchOptions): Promise<FetchedMetadata>;
}

export interface FetchOptions {
  /** For the whole of each request. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** The platform did not answer, or not with what was asked for. Says nothing of what it answered: that may be a secret. */
export class MetadataFailure extends Error {
  readonly reason: ReasonCode;
  /** Asking again is no use. */
  readonly isFinal: boolean;
  /** The platform said when to ask again. */
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

/** The first of them that has a document. One that fails is not one that has none: the others are not asked then. */
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

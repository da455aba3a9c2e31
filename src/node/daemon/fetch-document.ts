// node/daemon/fetch-document.ts: how long is the metadata service asked? Without an end, unless a person waits for the answer.
import { fetchPersistently, type RetryOptions } from '../metadata/retry.ts';
import { type Fetched, MetadataFailure, type MetadataSource } from '../metadata/source.ts';

const ORDERED_MS = 30_000;

/** Rejects with a MetadataFailure that is final, or with the reason of `signal`. */
export function fetchDocument(
  source: MetadataSource,
  { isOrdered, ...options }: RetryOptions & { signal: AbortSignal; isOrdered: boolean },
): Promise<Fetched> {
  if (!isOrdered) return fetchPersistently(source, options);
  const enough = new AbortController();
  return fetchPersistently(source, {
    ...options,
    signal: AbortSignal.any([options.signal, enough.signal]),
    profile: { deadlineMs: ORDERED_MS },
    onEvent(event) {
      options.onEvent?.(event);
      if (event.kind !== 'degraded') return;
      enough.abort(new MetadataFailure(event.reason, `${event.message}, for ${ORDERED_MS / 1000} s`));
    },
  });
}

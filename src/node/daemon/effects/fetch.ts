// node/daemon/effects/fetch.ts: which document is in the metadata now? Retries without a deadline, unless an operator
// waits for the result. A newer fetch cancels the running one.
import { fetchPersistently, type RetryEvent, type RetryOptions } from '../../metadata/retry.ts';
import { type FetchedMetadata, MetadataFailure, type MetadataSource } from '../../metadata/source.ts';
import type { EffectContext } from './context.ts';
import { reportUnexpected } from './unexpected.ts';

export type Fetch = (options: { isOrdered: boolean }) => Promise<void>;

export function createFetch(context: EffectContext): Fetch {
  let latest = new AbortController();
  return async ({ isOrdered }) => {
    latest.abort();
    const current = new AbortController();
    latest = current;
    await fetchOnce(context, { isOrdered, current: current.signal });
  };
}

/** The next fetch aborts `current`; this fetch then dispatches nothing. */
async function fetchOnce(context: EffectContext, { isOrdered, current }: { isOrdered: boolean; current: AbortSignal }) {
  const { deps, documents, state, dispatch, stopping } = context;
  const { clock, random, source, steps, log } = deps;
  const startUs = steps.nowUs();
  try {
    const fetched = await fetchDocument(source, {
      clock,
      random,
      signal: AbortSignal.any([current, stopping]),
      isOrdered,
      isKnown: (document) => documents.isKnown(document, state().delivered?.raw),
      onEvent: (event) => reportTrouble(context, event),
    });
    if (current.aborted) return;
    documents.foundOn(fetched.instance);
    const raw = fetched.document && documents.keep({ document: fetched.document, origin: source.name }, state());
    if (raw !== state().delivered?.raw) steps.since('fetch', startUs, { detail: source.name });
    dispatch({ is: 'fetched', raw, standby: fetched.standby });
  } catch (error) {
    if (stopping.aborted || current.aborted) return;
    if (error instanceof MetadataFailure) {
      log('warning', error.message, { code: error.reason });
      dispatch({ is: 'fetch-failed', why: { code: error.reason, detail: error.message } });
    } else reportUnexpected(context, 'fetch', error);
  }
}

function reportTrouble({ deps, dispatch }: EffectContext, event: RetryEvent): void {
  const { reason, message, attempts } = event;
  deps.log('warning', message, { code: reason, attempts });
  dispatch({ is: 'fetch-trouble', why: { code: reason, detail: message }, isDegraded: event.kind === 'degraded' });
}

const ORDERED_MS = 30_000;

/** Rejects with a final MetadataFailure, or with the reason of `signal`. */
function fetchDocument(
  source: MetadataSource,
  { isOrdered, ...options }: RetryOptions & { signal: AbortSignal; isOrdered: boolean },
): Promise<FetchedMetadata> {
  if (!isOrdered) return fetchPersistently(source, options);
  const enough = new AbortController();
  return fetchPersistently(source, {
    ...options,
    signal: AbortSignal.any([options.signal, enough.signal]),
    profile: { deadlineMs: ORDERED_MS },
    onEvent(event) {
      options.onEvent?.(event);
      if (event.kind !== 'degraded') return;
      enough.abort(new MetadataFailure(event.reason, `${event.message}; gave up after ${ORDERED_MS / 1000} s`));
    },
  });
}

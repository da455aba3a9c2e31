// node/daemon/effects/unexpected.ts: how does the loop hear of a failure that no effect expects? With its stack in the log, once.
import type { EffectContext } from './context.ts';

export function reportUnexpected(
  { deps, dispatch, stopping }: EffectContext,
  lane: 'fetch' | 'work',
  error: unknown,
): void {
  const detail = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? (error.stack ?? detail) : detail;
  if (!stopping.aborted) deps.log('error', `unexpected: ${stack}`);
  dispatch({ is: 'broke', lane, detail });
}

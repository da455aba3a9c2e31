// node/daemon/effects/unexpected.ts: how does an effect report an unexpected error? As an event for the loop, and with
// its stack in the log.
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

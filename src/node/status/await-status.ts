// node/status/await-status.ts: has the node reached a goal? Waits until it has, until it cannot, or until the timeout.
import type { Clock } from '../../base/clock.ts';
import type { NodeStatus } from './node-status.ts';

export type Goal = { is: 'ready' } | { is: 'applied' } | { is: 'generation'; atLeast: number };

export interface AwaitOptions {
  goal: Goal;
  timeoutMs: number;
  clock: Clock;
  signal: AbortSignal;
  /** Undefined: the daemon has not reported a status in this boot. */
  read(): NodeStatus | undefined;
  /** Called when the status has changed. */
  onNews(status: NodeStatus | undefined): void;
}

export type AwaitResult = { isReached: boolean; why: 'reached' | 'cannot' | 'timeout'; status: NodeStatus | undefined };

const POLL_MS = 250;

export async function awaitStatus({
  goal,
  timeoutMs,
  clock,
  signal,
  read,
  onNews,
}: AwaitOptions): Promise<AwaitResult> {
  const untilMs = clock.nowMs() + timeoutMs;
  let lastNews: string | undefined;
  for (;;) {
    const status = read();
    const news = status ? `${status.phase} ${status.code} ${status.active?.hash}` : '';
    if (news !== lastNews) onNews(status);
    lastNews = news;
    if (status && isReached(goal, status)) return { isReached: true, why: 'reached', status };
    if (status && cannotBeReached(goal, status)) return { isReached: false, why: 'cannot', status };
    if (clock.nowMs() >= untilMs) return { isReached: false, why: 'timeout', status };
    await clock.sleep(Math.min(POLL_MS, untilMs - clock.nowMs()), signal);
  }
}

export function isReached(goal: Goal, { isReady, phase, active }: NodeStatus): boolean {
  switch (goal.is) {
    case 'ready':
      return isReady;
    case 'applied':
      return phase === 'Applied';
    case 'generation':
      return phase === 'Applied' && active !== undefined && active.generation >= goal.atLeast;
  }
}

/** Only another document or another node could reach the goal. */
function cannotBeReached({ is }: Goal, { phase, code }: NodeStatus): boolean {
  return is !== 'ready' && (phase === 'RolledBack' || code === 'plan/needs-replacement' || code === 'plan/known-bad');
}

import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { awaitStatus, type Goal } from './await-status.ts';
import type { NodeStatus } from './node-status.ts';

const base: NodeStatus = {
  phase: 'Fetching',
  code: 'metadata/waiting',
  detail: 'x',
  since: 's',
  notes: [],
  isReady: false,
  bad: [],
  source: 's',
  daemon: { pid: 1, startedAt: 'x' },
};
const active = { number: 1, generation: 7, hash: 'h', documentHash: 'd', at: 'a' };

async function wait(goal: Goal, story: (NodeStatus | undefined)[], timeoutMs = 60_000) {
  const clock = fakeClock();
  let news = 0;
  let at = 0;
  const awaited = await awaitStatus({
    goal,
    timeoutMs,
    clock,
    signal: new AbortController().signal,
    read: () => story[Math.min(at++, story.length - 1)],
    onNews: () => news++,
  });
  return { why: awaited.why, news, sleptMs: clock.sleptMs };
}

describe('awaitStatus', () => {
  it.each<[Goal, NodeStatus]>([
    [{ is: 'ready' }, { ...base, isReady: true }],
    [{ is: 'applied' }, { ...base, phase: 'Applied' }],
    [
      { is: 'generation', atLeast: 7 },
      { ...base, phase: 'Applied', active },
    ],
  ])('ends when the node has reached %o', async (goal, last) => {
    expect(await wait(goal, [undefined, base, base, last])).toMatchObject({ why: 'reached', news: expect.any(Number) });
  });

  it('does not accept an older generation, or one that is still being watched', async () => {
    const story = [{ ...base, phase: 'Applied', active: { ...active, generation: 6 } } as const];
    expect((await wait({ is: 'generation', atLeast: 7 }, story)).why).toBe('timeout');
    expect((await wait({ is: 'generation', atLeast: 7 }, [{ ...base, phase: 'Verifying', active }])).why).toBe(
      'timeout',
    );
  });

  it('ends immediately if only another document could reach the goal', async () => {
    expect(await wait({ is: 'applied' }, [{ ...base, phase: 'RolledBack' }])).toMatchObject({
      why: 'cannot',
      sleptMs: 0,
    });
    expect((await wait({ is: 'ready' }, [{ ...base, phase: 'RolledBack' }])).why).toBe('timeout');
  });

  it('ends at the timeout, and reports only changes', async () => {
    expect(await wait({ is: 'applied' }, [undefined, base], 1100)).toEqual({ why: 'timeout', news: 2, sleptMs: 1100 });
    expect((await wait({ is: 'applied' }, [undefined], 600_000)).news).toBe(1);
  });
});

import { describe, expect, it } from 'vitest';
import { TransientError, UserError } from '../../base/errors.ts';
import { NoCapacity, Throttled } from '../../base/failures.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import type { RunEvent } from './run-event.ts';
import { MAX_ATTEMPTS, withRetries } from './with-retries.ts';

function failing(error: Error, times: number, patientMs = 0) {
  const clock = fakeClock();
  const told: RunEvent[] = [];
  const edges = { clock, signal: new AbortController().signal, tell: (event: RunEvent) => void told.push(event) };
  let calls = 0;
  const call = async () => {
    if (++calls <= times) throw error;
    return calls;
  };
  const ended = withRetries('a step', call, edges, clock.nowMs() + patientMs);
  const pauses = () => told.flatMap((event) => (event.event === 'retry' ? [event.inMs] : []));
  return { ended, calls: () => calls, pauses };
}

const busy = new TransientError('busy', { code: 'x' });

describe('something that may pass', () => {
  it('is asked again after ever longer pauses, and each is told', async () => {
    const { ended, pauses } = failing(busy, 3);
    expect(await ended).toBe(4);
    expect(pauses()).toEqual([5_000, 10_000, 20_000]);
  });

  it('is given up after some tries, with its own error', async () => {
    const { ended, calls } = failing(busy, 100);
    await expect(ended).rejects.toBe(busy);
    expect(calls()).toBe(MAX_ATTEMPTS);
  });

  it('is not given up as long as there is patience, and no pause is longer than five minutes', async () => {
    const { ended, calls, pauses } = failing(busy, 100, 3_600_000);
    await expect(ended).rejects.toBe(busy);
    expect(calls()).toBeGreaterThan(MAX_ATTEMPTS);
    expect(Math.max(...pauses())).toBe(300_000);
  });

  it('waits as long as the service asks for', async () => {
    const { ended, pauses } = failing(new Throttled('slow down', 90_000), 2);
    await ended;
    expect(pauses()).toEqual([90_000, 90_000]);
  });

  it('waits longer for room than for an answer', async () => {
    const { ended, pauses } = failing(new NoCapacity('full'), 2);
    await ended;
    expect(pauses()).toEqual([20_000, 40_000]);
  });
});

describe('something that will not pass', () => {
  it('is asked once, whatever the patience', async () => {
    for (const error of [new UserError('no', { code: 'x' }), new Error('a bug')]) {
      const { ended, calls } = failing(error, 100, 3_600_000);
      await expect(ended).rejects.toBe(error);
      expect(calls()).toBe(1);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { TransientError } from '../../base/errors.ts';
import { NoCapacity, Throttled } from '../../base/failures.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import type { RunEvent } from './run-event.ts';
import { MAX_ATTEMPTS, withRetries } from './with-retries.ts';

const START_MS = Date.UTC(2026, 10, 17);

/** What `withRetries` does with a call that throws these, one after the other, and then succeeds. */
async function retried(failures: readonly Error[], patientForMs = 0) {
  const clock = fakeClock(START_MS);
  const events: RunEvent[] = [];
  const left = [...failures];
  let calls = 0;
  const call = async () => {
    calls++;
    const failure = left.shift();
    if (failure) throw failure;
    return 'done';
  };
  const deps = { clock, signal: new AbortController().signal, onEvent: (event: RunEvent) => void events.push(event) };
  const result = await withRetries('stop-donor', call, deps, START_MS + patientForMs).catch((error: unknown) => error);
  const pauses = events.map((event) => (event.event === 'retry' ? event.inMs : undefined));
  return { result, calls, pauses, spentMs: clock.nowMs() - START_MS };
}

const times = (count: number, failure: Error) => Array<Error>(count).fill(failure);
const transient = new TransientError('the connection broke', { code: 'test/transient' });

describe('a call that may pass', () => {
  it('is made once when it succeeds', async () => {
    expect(await retried([])).toEqual({ result: 'done', calls: 1, pauses: [], spentMs: 0 });
  });

  it('is retried after pauses that double, and gives its last failure in the end', async () => {
    const { result, calls, pauses, spentMs } = await retried(times(9, transient));
    expect(result).toBe(transient);
    expect(calls).toBe(MAX_ATTEMPTS);
    expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 80_000]);
    expect(spentMs).toBe(155_000);
  });

  it('is retried after four times as long when there is no capacity, up to five minutes', async () => {
    const { pauses } = await retried(times(9, new NoCapacity('start instance 3')));
    expect(pauses).toEqual([20_000, 40_000, 80_000, 160_000, 300_000]);
  });

  it('is retried after what the service asks for, however long or short', async () => {
    const { pauses } = await retried([new Throttled('read', 700_000), new Throttled('read', 1)]);
    expect(pauses).toEqual([700_000, 1]);
  });

  it('is retried more often while there is patience', async () => {
    const { result, calls } = await retried(times(8, transient), 1_000_000);
    expect(result).toBe('done');
    expect(calls).toBe(9);
  });

  it('is not retried after any other failure', async () => {
    const bug = new Error('a bug');
    expect(await retried([bug], 600_000)).toMatchObject({ result: bug, calls: 1, pauses: [] });
  });
});

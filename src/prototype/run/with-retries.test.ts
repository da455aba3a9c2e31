import { describe, expect, it } from 'vitest';
import { Interrupted, TransientError } from '../../base/errors.ts';
import { Forbidden, NoCapacity, NotFound, Throttled } from '../../base/failures.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import { LeaseHeld } from '../../cluster/lease-held.ts';
import type { RunEvent } from './run-event.ts';
import { MAX_ATTEMPTS, withRetries } from './with-retries.ts';

const START_MS = Date.UTC(2026, 10, 17);

/** Runs `withRetries` on a call that throws these errors in turn and then succeeds. */
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

describe('withRetries', () => {
  it('calls once on success', async () => {
    expect(await retried([])).toEqual({ result: 'done', calls: 1, pauses: [], spentMs: 0 });
  });

  it('doubles the pause between attempts and throws the last failure', async () => {
    const { result, calls, pauses, spentMs } = await retried(times(9, transient));
    expect(result).toBe(transient);
    expect(calls).toBe(MAX_ATTEMPTS);
    expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 80_000]);
    expect(spentMs).toBe(155_000);
  });

  it('waits four times as long when there is no capacity, up to five minutes', async () => {
    const { pauses } = await retried(times(9, new NoCapacity('start instance 3')));
    expect(pauses).toEqual([20_000, 40_000, 80_000, 160_000, 300_000]);
  });

  it('waits exactly as long as the service requests', async () => {
    const { pauses } = await retried([new Throttled('read', 700_000), new Throttled('read', 1)]);
    expect(pauses).toEqual([700_000, 1]);
  });

  it('does not limit the attempts until patientUntilMs', async () => {
    const { result, calls } = await retried(times(8, transient), 1_000_000);
    expect(result).toBe('done');
    expect(calls).toBe(9);
  });

  it('retries refusals until patientUntilMs, but not if the run was interrupted, lost the pool or the thing is gone', async () => {
    const forbidden = new Forbidden('no right to start');
    expect(await retried(times(4, forbidden), 1_000_000)).toMatchObject({ result: 'done', calls: 5 });
    expect(await retried([forbidden])).toMatchObject({ result: forbidden, calls: 1 });
    const held = new LeaseHeld('pool', { holder: 'other', durationMs: 1, renewedMs: 0, note: 'n' });
    for (const end of [new Interrupted('SIGINT'), held, new NotFound('the pool')])
      expect(await retried([end], 1_000_000)).toMatchObject({ result: end, calls: 1 });
  });

  it('does not retry other failures', async () => {
    const bug = new Error('a bug');
    expect(await retried([bug], 600_000)).toMatchObject({ result: bug, calls: 1, pauses: [] });
  });
});

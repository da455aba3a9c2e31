// Ctrl-C once and twice at every call of a run; a listener that fails; and an hour in which every call fails.
import { describe, expect, it } from 'vitest';
import { Interrupted, TransientError } from '../../base/errors.ts';
import { Throttled } from '../../base/failures.ts';
import { leaseName } from '../names.ts';
import { type Lab, lab, POOL_REF } from '../testing.ts';
import { type EngineDeps, recoverDonor, runPrototype } from './engine.ts';
import { donorViolations, modelViolations, readDonorState } from './invariants.testing.ts';

/** Counts every external call and does not make a call whose signal is aborted. */
function watched<T extends object>(target: T, before: () => void): T {
  return new Proxy(target, {
    get: (object, key) => {
      const value = Reflect.get(object, key) as unknown;
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        before();
        signalIn(args)?.throwIfAborted();
        const answer: unknown = await Reflect.apply(value, object, args);
        signalIn(args)?.throwIfAborted(); // the wait is interrupted, the operation itself continues
        return answer;
      };
    },
  });
}

function signalIn(args: readonly unknown[]): AbortSignal | undefined {
  for (const arg of args) {
    if (arg instanceof AbortSignal) return arg;
    if (typeof arg === 'object' && arg !== null && 'signal' in arg && arg.signal instanceof AbortSignal)
      return arg.signal;
  }
  return undefined;
}

function attempt(world: Lab, before: (call: number) => void, more: Partial<EngineDeps> = {}) {
  let calls = 0;
  const count = () => before(calls++);
  const cluster = watched(world.cluster, count);
  const deps: EngineDeps = {
    pools: watched(world.provider.pools, count),
    snapshots: watched(world.provider.snapshots, count),
    gallery: watched(world.provider.gallery, count),
    publisher: watched(world.provider.publisher, count),
    cluster,
    clock: world.clock,
    signal: new AbortController().signal,
    onEvent: () => undefined,
    seal: async (nodeName) => void (await cluster.runOnNode(nodeName, 'seal', { deadlineMs: 60_000 })),
    ...more,
  };
  const ended = runPrototype(world.intent, world.ref, 'run', deps).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { ended, deps, calls: () => calls };
}

async function callsOfARun(): Promise<number> {
  const one = attempt(lab(), () => undefined);
  expect(await one.ended).toBeUndefined();
  return one.calls();
}

const isLocked = ({ cluster }: Lab) => cluster.leases.has(leaseName(POOL_REF));

describe('an interrupted run', () => {
  it('restores the donor, releases the pool and can be finished by the same command, at every call', async () => {
    const calls = await callsOfARun();
    let interruptions = 0;
    for (let at = 0; at < calls; at++) {
      const world = lab();
      const found = readDonorState(world);
      const control = new AbortController();
      const one = attempt(world, (call) => call === at && control.abort(new Interrupted('SIGINT')), {
        signal: control.signal,
      });
      const error = await one.ended;
      if (error !== undefined) {
        interruptions++;
        expect(error, `at call ${at}`).toBeInstanceOf(Interrupted);
      }
      expect(donorViolations(world, found), `at call ${at}`).toEqual([]);
      expect(modelViolations(world), `at call ${at}`).toEqual([]);
      expect(isLocked(world), `at call ${at}`).toBe(false);
      await world.run();
      expect(donorViolations(world, found), `resumed, at call ${at}`).toEqual([]);
    }
    process.stderr.write(`interrupted once: ${calls} runs, ${interruptions} ended by it, 0 violations\n`);
    expect(interruptions).toBeGreaterThan(calls / 2);
  });

  it('ends at once on a second interrupt, names the recover command and releases the pool', async () => {
    const calls = await callsOfARun();
    let left = 0;
    for (let at = 0; at < calls; at++) {
      const world = lab();
      const found = readDonorState(world);
      const [first, second] = [new AbortController(), new AbortController()];
      const reason = new Interrupted('SIGINT');
      const one = attempt(
        world,
        (call) => {
          if (call === at) first.abort(reason);
          if (call === at + 5) second.abort(reason);
        },
        { signal: first.signal, restoreSignal: second.signal },
      );
      const error = await one.ended;
      expect(isLocked(world), `at call ${at}`).toBe(false);
      if (donorViolations(world, found).length === 0) continue;
      left++;
      expect(error, `at call ${at}`).toMatchObject({
        code: 'prototype/donor-out',
        next: `headstart prototype recover --node ${world.intent.nodeName}`,
      });
      await recoverDonor(world.intent, world.ref, 'recovery', { ...one.deps, signal: new AbortController().signal });
      expect(donorViolations(world, found), `recovered, at call ${at}`).toEqual([]);
    }
    process.stderr.write(`interrupted twice: ${calls} runs, ${left} left the donor out and said so\n`);
    expect(left).toBeGreaterThan(10);
  });
});

describe('the event listener of a run', () => {
  it('may fail without stopping the run or the restore of the donor', async () => {
    const world = lab();
    const found = readDonorState(world);
    const onEvent = () => {
      throw new Error('no space left on device');
    };
    expect(await attempt(world, () => undefined, { onEvent }).ended).toBeUndefined();
    expect(donorViolations(world, found)).toEqual([]);
  });
});

describe('an hour of failing calls after the donor was stopped', () => {
  it.each<[string, () => TransientError]>([
    ['because Azure throttles', () => new Throttled('too many requests', 30_000)],
    ['because the service is unavailable', () => new TransientError('away', { code: 'vms/unavailable' })],
  ])('%s does not prevent the restore of the donor', async (_, failure) => {
    const world = lab();
    const found = readDonorState(world);
    let fromMs = Number.POSITIVE_INFINITY;
    const isAway = () => world.clock.nowMs() >= fromMs && world.clock.nowMs() < fromMs + 3_600_000;
    const one = attempt(world, () => {
      if (world.donor.power === 'stopped' && fromMs === Number.POSITIVE_INFINITY) fromMs = world.clock.nowMs();
      if (isAway()) throw failure();
    });
    const error = await one.ended;
    expect(donorViolations(world, found), String(error)).toEqual([]);
  });
});

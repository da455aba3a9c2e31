import { describe, expect, it } from 'vitest';
import { Forbidden } from '../../base/failures.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import { podRunner } from './run-pod.ts';
import { clientOf } from './testing.ts';

const POD = { metadata: { name: 'p' } };

function world({
  phase = 'Succeeded',
  isLeft = false,
  trouble,
}: {
  phase?: string;
  isLeft?: boolean;
  trouble?: Error;
} = {}) {
  const calls: string[] = [];
  const pressed = new AbortController();
  let pod: object | undefined = isLeft ? { metadata: {}, status: { phase: 'Running' } } : undefined;
  const core = {
    readNamespacedPod: async () => pod,
    createNamespacedPod: async () => {
      calls.push('create');
      if (trouble) throw trouble;
      pod = {
        metadata: {},
        status: { phase, containerStatuses: [{ state: { waiting: { reason: 'ErrImagePull' } } }] },
      };
      if (phase === 'Running') pressed.abort(new Error('Ctrl-C'));
    },
    deleteNamespacedPod: async () => {
      calls.push('delete');
      pod = undefined;
    },
    readNamespacedPodLog: async () => 'log',
  };
  const run = podRunner(clientOf(core, {}, { clock: fakeClock() }));
  const { signal } = pressed;
  return {
    calls,
    isThere: () => pod !== undefined,
    run: () => run(POD, { nodeName: 'n1', deadlineMs: 60_000, signal, what: 'reading' }),
  };
}

describe('a short-lived pod', () => {
  it('returns its log and is removed, and so is one that an earlier run left', async () => {
    const { run, calls, isThere } = world({ isLeft: true });
    expect(await run()).toBe('log');
    expect([calls, isThere()]).toEqual([['delete', 'create', 'delete'], false]);
  });

  it('is removed after Ctrl-C', async () => {
    const { run, isThere } = world({ phase: 'Running' });
    await expect(run()).rejects.toThrow('Ctrl-C');
    expect(isThere()).toBe(false);
  });

  it('that does not start in time is removed, and the error says what it waited for', async () => {
    const { run, isThere } = world({ phase: 'Pending' });
    await expect(run()).rejects.toThrow('reading on n1 timed out: its pod has not started (ErrImagePull)');
    expect(isThere()).toBe(false);
  });

  it('that the server refuses is reported with its reason', async () => {
    const { run, isThere } = world({ trouble: new Forbidden('create pods: violates PodSecurity', undefined) });
    await expect(run()).rejects.toThrow('violates PodSecurity');
    expect(isThere()).toBe(false);
  });
});

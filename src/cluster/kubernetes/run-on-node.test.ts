import { describe, expect, it } from 'vitest';
import { TransientError } from '../../base/errors.ts';
import { Conflict } from '../../base/failures.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import { renderFrame } from './run-frame.ts';
import { runCalls } from './run-on-node.ts';
import { clientOf } from './testing.ts';

interface HelperWorld {
  /** The status that kubelet sets on a new pod; undefined: another client deleted it. */
  phase: string | undefined;
  log: string;
  /** An earlier run left a pod. */
  isLeft: boolean;
  /** Deleted pods stay. */
  isDeaf: boolean;
  createFails?: Error;
}

const done = renderFrame({ exitCode: 3, stdout: 'out', stderr: 'err' });

function world(over: Partial<HelperWorld> = {}) {
  const { phase, log, isLeft, isDeaf, createFails } = {
    phase: 'Succeeded',
    log: done,
    isLeft: false,
    isDeaf: false,
    ...over,
  };
  const told: string[] = [];
  const clock = fakeClock();
  let pod: object | undefined = isLeft ? { metadata: {}, status: { phase: 'Running' } } : undefined;
  const core = {
    readNamespacedPod: async () => pod,
    createNamespacedPod: async () => {
      told.push('create');
      if (createFails) throw createFails;
      pod = phase === undefined ? undefined : { metadata: {}, status: { phase } };
    },
    deleteNamespacedPod: async () => {
      told.push('delete');
      if (!isDeaf) pod = undefined;
    },
    readNamespacedPodLog: async () => log,
  };
  const { runOnNode } = runCalls(clientOf(core, {}, { clock }), { image: 'helper' });
  return { told, clock, isThere: () => pod !== undefined, run: () => runOnNode('n1', 'true', { deadlineMs: 60_000 }) };
}

describe('a script on a node', () => {
  it('returns its exit code and output, and leaves no pod', async () => {
    const { run, isThere } = world();
    expect(await run()).toEqual({ exitCode: 3, stdout: 'out', stderr: 'err' });
    expect(isThere()).toBe(false);
  });

  it('first removes the pod of a run that died', async () => {
    const { run, told } = world({ isLeft: true });
    await run();
    expect(told).toEqual(['delete', 'create', 'delete']);
  });

  it('whose pod never starts times out, and the pod is removed', async () => {
    const { run, isThere, clock } = world({ phase: 'Pending' });
    await expect(run()).rejects.toMatchObject({ code: 'cluster/run-timeout' });
    expect(clock.sleptMs).toBeGreaterThanOrEqual(60_000);
    expect(isThere()).toBe(false);
  });

  it.each([
    ['cut off', { log: done.slice(0, -10) }, 'cluster/run-cut'],
    ['deleted by another actor', { phase: undefined }, 'cluster/helper-gone'],
    ['blocked by an older one that does not terminate', { isLeft: true, isDeaf: true }, 'cluster/helper-stays'],
    ['created by another run first', { createFails: new Conflict('it exists', undefined) }, 'cluster/helper-busy'],
  ])('whose pod is %s fails as transient', async (_, over, code) => {
    const { run } = world(over);
    const failure = await run().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TransientError);
    expect(failure).toMatchObject({ code });
  });

  it('without a helper image is refused before anything is sent', async () => {
    const { runOnNode } = runCalls(clientOf({}), undefined);
    await expect(runOnNode('n1', 'true', { deadlineMs: 1 })).rejects.toMatchObject({ code: 'cluster/no-helper-image' });
  });
});

import type { V1Pod } from '@kubernetes/client-node';
import { beforeEach, describe, expect, it } from 'vitest';
import { Conflict } from '../../base/failures.ts';
import { type FakeClock, fakeClock } from '../../base/fake-clock.ts';
import type { Client } from './connect.ts';
import { runCalls } from './run-on-node.ts';

/** What is in the cluster under the name of the helper. */
let pod: V1Pod | undefined;
let phase: string;
let log: string;
/** Deleting only marks it. */
let isStuck: boolean;
let made: number;
let clock: FakeClock;

beforeEach(() => {
  [pod, phase, log, isStuck, made, clock] = [undefined, 'Succeeded', '', false, 0, fakeClock()];
});

function run(image: string | undefined = 'helper', signal?: AbortSignal) {
  const core = {
    readNamespacedPod: async () => pod,
    deleteNamespacedPod: async () => {
      pod = isStuck ? { ...pod, metadata: { deletionTimestamp: new Date() } } : undefined;
    },
    createNamespacedPod: async ({ body }: { body: V1Pod }) => {
      if (pod) throw new Conflict('pod');
      made++;
      pod = { ...body, status: { phase } };
    },
    readNamespacedPodLog: async () => log,
  };
  const request = (_: unknown, ask: (options: object) => Promise<unknown>) => ask({});
  // Only what it uses of a client.
  const client = { core, clock, namespace: 'headstart', call: request, find: request } as unknown as Client;
  return runCalls(client, image).runOnNode('n1', 'id', { deadlineMs: 10_000, ...(signal && { signal }) });
}

describe('a script on a node', () => {
  it('needs an image, and nothing is made without one', async () => {
    const { runOnNode } = runCalls({ namespace: 'headstart' } as Client, undefined);
    await expect(runOnNode('n1', 'id', { deadlineMs: 1 })).rejects.toMatchObject({ code: 'cluster/no-helper-image' });
  });

  it('whose output was cut off is tried again by others, and its pod is removed', async () => {
    log = 'half of it';
    await expect(run()).rejects.toMatchObject({ code: 'cluster/run-cut' });
    expect(pod).toBeUndefined();
  });

  it('removes the pod that a dead run left before it makes its own', async () => {
    pod = { metadata: { name: 'left' } };
    await expect(run()).rejects.toMatchObject({ code: 'cluster/run-cut' });
    expect(made).toBe(1);
  });

  it('is given up in time, and the pod is removed', async () => {
    phase = 'Pending';
    await expect(run()).rejects.toMatchObject({
      code: 'cluster/run-timeout',
      message: expect.stringContaining('its pod has not started (the kubelet has not taken it yet)'),
    });
    expect(pod).toBeUndefined();
    expect(clock.sleptMs).toBeLessThan(12_000);
  });

  it('does not begin while the pod of another run does not end', async () => {
    pod = { metadata: { name: 'left' } };
    isStuck = true;
    await expect(run()).rejects.toMatchObject({ code: 'cluster/helper-stays' });
    expect(made).toBe(0);
  });
});

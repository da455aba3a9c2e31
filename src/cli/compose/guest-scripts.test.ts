import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { fakeCluster } from '../../cluster/fake/fake-cluster.ts';
import type { InstanceRef } from '../../vms/pools.ts';
import type { QemuProvider } from '../../vms/qemu/local-provider.ts';
import { throughAgent } from './guest-scripts.ts';

const REF: InstanceRef = { pool: { id: 'pools/p', name: 'p' }, id: 'p-000001' };

describe('throughAgent', () => {
  it('runs the script in the guest that the provider id names', async () => {
    const ran: unknown[] = [];
    const provider = {
      pools: { locate: async () => REF },
      guests: {
        runInGuest: async (...args: unknown[]) => {
          ran.push(...args);
          return { exitCode: 3, stdout: Buffer.from('out'), stderr: Buffer.from('err') };
        },
      },
    } as unknown as QemuProvider;
    const cluster = fakeCluster(fakeClock());
    cluster.addNode('n1');
    const result = await throughAgent(provider, cluster)('n1', 'echo hi', { deadlineMs: 1000 });
    expect(result).toEqual({ exitCode: 3, stdout: 'out', stderr: 'err' });
    expect(ran).toEqual([REF, ['/bin/sh', '-s'], { input: 'echo hi', deadlineMs: 1000 }]);
  });

  it('throws NotFound for a node that is not in the cluster', async () => {
    const run = throughAgent({} as QemuProvider, fakeCluster(fakeClock()));
    await expect(run('nope', 'x', { deadlineMs: 1 })).rejects.toThrow('node nope');
  });
});

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { UserError } from '../../../base/errors.ts';
import { fakeClock } from '../../../base/fake-clock.ts';
import { Secret } from '../../../base/secret.ts';
import type { PoolRef } from '../../pools.ts';
import { instanceFiles } from '../home/layout.ts';
import type { Machines } from '../machine/machines.ts';
import { answeringAgent, fakeMachines, type Lab, makeLab, poolSpec, publishEmpty, standInCluster } from '../testing.ts';
import type { JoinCluster } from './admission.ts';

const SERVER = { address: '168.0.0.10', port: 6443, to: { host: '127.0.0.1', port: 20_001 } };
const SECRET = 'abcdef.0123456789abcdef';

let lab: Lab;
afterEach(() => lab.end());

interface ClusterCalls {
  joiner: JoinCluster;
  /** Calls in order: `admit local web-000001`, … */
  calls: string[];
  /** Content and mode of the credential's file when QEMU was started. */
  atLaunch: { text: string; mode: number }[];
  machines: ReturnType<typeof fakeMachines>;
}

function clusterLab(changes: Partial<JoinCluster> = {}): ClusterCalls {
  const calls: string[] = [];
  const note = (what: string) => (cluster: string, instance: { id?: string; ref?: { id: string } }) =>
    void calls.push(`${what} ${cluster} ${instance.id ?? instance.ref?.id}`);
  const joiner: JoinCluster = standInCluster({
    admit: async (cluster, instance) => {
      note('admit')(cluster, instance);
      return { server: SERVER, credential: new Secret(SECRET) };
    },
    awaitReady: async (cluster, joining) => note('await')(cluster, joining),
    removeNode: async (cluster, instance) => note('removeNode')(cluster, instance),
    forgetNode: async (cluster, instance) => note('forgetNode')(cluster, instance),
    ...changes,
  });
  const atLaunch: ClusterCalls['atLaunch'] = [];
  const machines = fakeMachines();
  const watched: Machines = {
    ...machines,
    launch: async (machine, argv) => {
      const file = join(machine.folder, instanceFiles.credential);
      if (existsSync(file)) atLaunch.push({ text: readFileSync(file, 'utf8'), mode: statSync(file).mode & 0o777 });
      await machines.launch(machine, argv);
    },
  };
  lab = makeLab({
    clock: fakeClock(),
    machines: watched,
    joinCluster: joiner,
    agent: answeringAgent({ 'guest-ping': () => ({}) }),
    stopGraceMs: 0,
  });
  return { joiner, calls, atLaunch, machines };
}

async function nodes(count: number): Promise<PoolRef> {
  const { ref } = await lab.provider.pools.createPool(poolSpec(await publishEmpty(lab), { cluster: 'local' }));
  await lab.provider.pools.setCapacity(ref, count);
  return ref;
}

describe('an instance of a cluster’s pool', () => {
  it("gets the API server's address and a new credential at each start, and the credential is deleted afterwards", async () => {
    const { calls, atLaunch, machines } = clusterLab();
    const pool = await nodes(1);
    const [instance] = await lab.provider.pools.listInstances(pool);
    const { folder } = await lab.provider.guests.readDetails(instance!.ref);
    expect(calls).toEqual(['forgetNode local web-000001', 'admit local web-000001']);
    await lab.provider.pools.stop(instance!.ref);
    await lab.provider.pools.start(instance!.ref);
    expect(calls.slice(2)).toEqual(['admit local web-000001']);
    expect(atLaunch).toEqual([
      { text: SECRET, mode: 0o600 },
      { text: SECRET, mode: 0o600 },
    ]);
    expect(existsSync(join(folder, instanceFiles.credential))).toBe(false);

    const argv = machines.launched[0]!.argv.join(' ');
    expect(argv).toContain('-fw_cfg name=opt/io.systemd.credentials/bootstrap-kubeconfig,file=bootstrap-kubeconfig');
    expect(argv).toContain('guestfwd=tcp:168.0.0.10:6443-cmd:');
    expect(argv).toContain('hostfwd=tcp:127.0.0.1:0-:10250');
    expect(argv).not.toContain(SECRET);
  });

  it('leaves no credential behind when QEMU does not start', async () => {
    const { machines } = clusterLab();
    const pool = await nodes(1);
    const [instance] = await lab.provider.pools.listInstances(pool);
    const { folder } = await lab.provider.guests.readDetails(instance!.ref);
    await lab.provider.pools.stop(instance!.ref);
    machines.failNextLaunch = new Error('no QEMU');
    await expect(lab.provider.pools.start(instance!.ref)).rejects.toThrow('no QEMU');
    expect(existsSync(join(folder, instanceFiles.credential))).toBe(false);
  });

  it('loses its node when it is deleted in any way, and when it is reimaged', async () => {
    const { calls } = clusterLab();
    const pool = await nodes(3);
    const [first] = await lab.provider.pools.listInstances(pool);
    calls.length = 0;
    await lab.provider.pools.reimage(first!.ref);
    expect(calls).toEqual(['removeNode local web-000001', 'forgetNode local web-000001', 'admit local web-000001']);
    calls.length = 0;
    await lab.provider.pools.setCapacity(pool, 2);
    expect(calls).toEqual(['removeNode local web-000003']);
    await lab.provider.pools.deletePool(pool);
    expect(calls.slice(1)).toEqual(['removeNode local web-000001', 'removeNode local web-000002']);
  });

  it('is not made when its cluster refuses it', async () => {
    const refusal = new UserError('the cluster does not run', { code: 'cluster/not-running' });
    clusterLab({ admit: () => Promise.reject(refusal) });
    await expect(nodes(1)).rejects.toBe(refusal);
    expect(await lab.provider.pools.listInstances({ id: 'pools/web', name: 'web' })).toEqual([]);
  });

  it('is up when its node is Ready, without further checks in its guest', async () => {
    const { calls } = clusterLab();
    const [instance] = await lab.provider.pools.listInstances(await nodes(1));
    await lab.provider.guests.awaitUp(instance!.ref, { deadlineMs: 60_000 });
    expect(calls.at(-1)).toBe('await local web-000001');
    expect(await lab.provider.guests.isUp(instance!.ref)).toBe(true);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Lab, makeLab, poolSpec, publishEmpty, standInCluster } from '../vms/qemu/testing.ts';
import { kubeletFinder } from './find-kubelet.ts';

const KUBELET = 45_678;
const joinCluster = standInCluster();

let lab: Lab;
beforeEach(() => {
  lab = makeLab({ joinCluster });
  lab.machines.forwardedPorts = async ({ vmId }) => new Map(lab.machines.states.has(vmId) ? [[10_250, KUBELET]] : []);
});
afterEach(() => lab.end());

/** The address of its only instance. */
async function makePool(name: string, cluster?: string): Promise<string> {
  const image = await publishEmpty(lab, `1.0.${name.length}`);
  const { ref } = await lab.provider.pools.createPool(poolSpec(image, { name, ...(cluster && { cluster }) }));
  const [instance] = await lab.provider.pools.setCapacity(ref, 1);
  return (await lab.provider.guests.readDetails(instance!.ref)).address;
}

describe('kubeletFinder', () => {
  it('returns the kubelet port of a running instance in a pool of the cluster', async () => {
    const [ours, others, nobodys] = [await makePool('a', 'lab'), await makePool('bb', 'prod'), await makePool('ccc')];
    const find = kubeletFinder({ home: lab.context.home, name: 'lab' }, lab.provider);
    expect(await find(ours)).toBe(KUBELET);
    for (const address of [others, nobodys, '127.0.0.1', '168.0.0.2']) expect(await find(address)).toBeUndefined();
    lab.machines.states.clear();
    expect(await find(ours)).toBeUndefined();
  });

  it('returns undefined in a home without pools', async () => {
    const find = kubeletFinder({ home: lab.context.home, name: 'lab' }, lab.provider);
    expect(await find('168.1.0.4')).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import type { Instance } from '../../../vms/pools.ts';
import { STOPPED_ANNOTATION } from '../../names.ts';
import { lab } from '../../testing.ts';
import { observeWorld } from '../observe.ts';
import type { Scene } from '../scene.ts';
import type { StepDeps } from '../step.ts';
import { stopDonor } from './stop-donor.ts';

async function applied(power: Instance['power'], { isReleased = false, hasBootId = true } = {}) {
  const world = lab();
  world.donor.power = power;
  world.cluster.touch(world.donor.computerName, hasBootId ? { bootId: 'boot-1' } : {});
  const calls: string[] = [];
  for (const name of ['stop', 'deallocate'] as const) world.provider.pools[name] = async () => void calls.push(name);
  const deps: StepDeps = {
    ...world.provider,
    cluster: world.cluster,
    clock: world.clock,
    signal: new AbortController().signal,
    onWaiting: (what) => void calls.push(`waits for ${what}`),
    seal: async () => undefined,
  };
  const intent = { ...world.intent, isReleased };
  const scene: Scene = {
    world: await observeWorld(intent, world.ref, deps),
    intent,
    run: { id: 'run-1', isAborting: false },
  };
  await stopDonor.apply(scene, deps);
  const mark = world.cluster.nodes.get(world.donor.computerName)!.annotations[STOPPED_ANNOTATION];
  return { calls, mark, name: world.donor.computerName };
}

describe('stopDonor', () => {
  it('writes the boot id before it stops the donor, if the node reports one', async () => {
    const { calls, mark } = await applied('running');
    expect([calls, mark?.startsWith('boot-1 ')]).toEqual([['stop'], true]);
    expect((await applied('running', { hasBootId: false })).mark).toBeUndefined();
  });

  it('deallocates only on request', async () => {
    expect((await applied('running', { isReleased: true })).calls).toEqual(['deallocate']);
  });

  it.each(['unknown', 'starting', 'stopping'] as const)('waits while the power state is %s', async (power) => {
    const { calls, mark, name } = await applied(power);
    expect(calls).toEqual([`waits for the power state of ${name}, which is ${power}`]);
    expect(mark).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import type { Instance } from '../../../vms/pools.ts';
import { SEALED_ANNOTATION } from '../../names.ts';
import { lab } from '../../testing.ts';
import { observeWorld } from '../observe.ts';
import { type Scene, sealMark } from '../scene.ts';
import type { StepDeps } from '../step.ts';
import { wakeDonor } from './wake-donor.ts';

const run = { id: 'run-1', isAborting: false };

async function seen(power: Instance['power'], isReady = true, isSealed = false) {
  const world = lab();
  const calls: string[] = [];
  world.donor.power = power;
  const annotations = isSealed ? { [SEALED_ANNOTATION]: sealMark(run, world.donor) } : {};
  world.cluster.touch(world.donor.computerName, { isReady, annotations });
  world.provider.pools.start = async ({ id }) => void calls.push(`start ${id}`);
  const deps: StepDeps = {
    ...world.provider,
    cluster: world.cluster,
    clock: world.clock,
    signal: new AbortController().signal,
    onWaiting: (what) => void calls.push(what),
    seal: async () => undefined,
  };
  const scene: Scene = { world: await observeWorld(world.intent, world.ref, deps), intent: world.intent, run };
  // The lab makes a running node Ready when it is read.
  if (scene.world.node) scene.world.node.isReady = isReady;
  return { scene, deps, calls, name: world.donor.computerName, id: world.ref.id };
}

describe('wakeDonor', () => {
  it('is needed until this run has sealed the donor', async () => {
    expect(wakeDonor.isNeeded((await seen('stopped')).scene)).toBe(true);
    expect(wakeDonor.isNeeded((await seen('stopped', false, true)).scene)).toBe(false);
  });

  it.each<[Instance['power'], boolean, boolean]>([
    ['running', true, true],
    ['running', false, false],
    ['unknown', true, false],
    ['starting', true, false],
    ['stopped', true, false],
  ])('for a donor that is %s, Ready: %s, is done: %s', async (power, isReady, isDone) => {
    expect(wakeDonor.isDone((await seen(power, isReady)).scene)).toBe(isDone);
  });

  it.each(['stopped', 'deallocated'] as const)('starts a donor that is %s', async (power) => {
    const { scene, deps, calls, id } = await seen(power);
    await wakeDonor.apply(scene, deps);
    expect(calls).toEqual([`start ${id}`]);
  });

  it.each(['unknown', 'starting', 'stopping'] as const)('only waits while it is %s', async (power) => {
    const { scene, deps, calls, name } = await seen(power);
    await wakeDonor.apply(scene, deps);
    expect(calls).toEqual([`${name} to be Ready; it is ${power}`]);
  });
});

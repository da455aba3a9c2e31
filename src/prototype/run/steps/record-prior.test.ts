import { describe, expect, it } from 'vitest';
import { DONOR_TAG, PRIOR_ANNOTATION } from '../../names.ts';
import { type Lab, lab } from '../../testing.ts';
import { observeWorld } from '../observe.ts';
import { readPrior } from '../prior.ts';
import type { Scene } from '../scene.ts';
import type { StepDeps } from '../step.ts';
import { recordPrior } from './record-prior.ts';

const PROTECTED = { fromScaleIn: true, fromPoolActions: true };

async function recorded(world: Lab) {
  const deps: StepDeps = {
    ...world.provider,
    cluster: world.cluster,
    clock: world.clock,
    signal: new AbortController().signal,
    onWaiting: () => undefined,
    seal: async () => undefined,
  };
  const look = async (): Promise<Scene> => ({
    world: await observeWorld(world.intent, world.ref, deps),
    intent: world.intent,
    run: { id: 'run-1', isAborting: false },
  });
  await recordPrior.apply(await look(), deps);
  const scene = await look();
  return { prior: readPrior(scene.world.node)!, isDone: recordPrior.isDone(scene) };
}

describe('recordPrior', () => {
  it('records the state of the node and its instance, and marks both', async () => {
    const world = lab();
    world.cluster.touch(world.donor.computerName, { isUnschedulable: true });
    const { prior, isDone } = await recorded(world);
    expect(prior).toMatchObject({ run: 'run-1', isUnschedulable: true, vmId: world.donor.vmId });
    expect(prior.protection).toEqual({ fromScaleIn: false, fromPoolActions: false });
    expect(isDone).toBe(true);
  });

  it('keeps what this run recorded before, and only adds the tag that is missing', async () => {
    const world = lab();
    await recorded(world);
    const { computerName } = world.donor;
    const before = world.cluster.nodes.get(computerName)!.annotations[PRIOR_ANNOTATION];
    world.cluster.touch(computerName, { isUnschedulable: true });
    world.donor.protection = PROTECTED;
    world.donor.tags = {};
    expect((await recorded(world)).isDone).toBe(true);
    expect(world.cluster.nodes.get(computerName)!.annotations[PRIOR_ANNOTATION]).toBe(before);
  });

  it.each([
    ['run-1 00', { fromScaleIn: false, fromPoolActions: false }],
    ['run-1 10', { fromScaleIn: true, fromPoolActions: false }],
    ['another-run 00', PROTECTED],
  ])('with only the tag "%s" left takes the protection %o', async (tag, protection) => {
    const world = lab();
    world.donor.protection = PROTECTED;
    world.donor.tags = { [DONOR_TAG]: tag };
    expect((await recorded(world)).prior.protection).toEqual(protection);
  });
});

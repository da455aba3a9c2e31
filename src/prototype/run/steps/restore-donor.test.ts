import { describe, expect, it } from 'vitest';
import type { Node } from '../../../cluster/cluster.ts';
import { DONOR_TAG, PRIOR_ANNOTATION } from '../../names.ts';
import { lab } from '../../testing.ts';
import { observeWorld } from '../observe.ts';
import { donorMark, priorOf, recordChange } from '../prior.ts';
import type { Scene } from '../scene.ts';
import type { StepDeps } from '../step.ts';
import { awaitReady, isDonorReady, restoreNode, restoreProtection, startDonor } from './restore-donor.ts';

async function outOfService({ hasNode = true } = {}) {
  const world = lab();
  const found = world.cluster.nodes.get(world.donor.computerName)!;
  const protection = { fromScaleIn: true, fromPoolActions: false };
  const prior = { ...priorOf(found, world.donor, 'run-0'), protection };
  await world.cluster.changeNode(found, recordChange(prior));
  await world.provider.pools.tagInstance(world.ref, { [DONOR_TAG]: donorMark(prior) });
  if (!hasNode) world.cluster.nodes.delete(found.name);
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
    run: { id: 'run-1', isAborting: true },
  });
  return { world, deps, look, protection };
}

describe('a donor out of service', () => {
  it('that an operator took both records from gets no protection, with a warning', async () => {
    const { world, look } = await outOfService({ hasNode: false });
    expect(restoreProtection.warning?.(await look())).toBeUndefined();
    await world.provider.pools.tagInstance(world.ref, { [DONOR_TAG]: 'mine' });
    const scene = await look();
    expect([restoreProtection.isNeeded(scene), restoreProtection.isDone(scene)]).toEqual([true, true]);
    expect(restoreProtection.warning?.(scene)).toContain('cannot be read');
  });

  it.each([true, false])('is started, even without a Node object (has one: %s)', async (hasNode) => {
    const { world, deps, look } = await outOfService({ hasNode });
    await world.provider.pools.stop(world.ref);
    const scene = await look();
    expect([startDonor.isNeeded(scene), startDonor.isDone(scene)]).toEqual([true, false]);
    await startDonor.apply(scene, deps);
    expect(startDonor.isDone(await look())).toBe(true);
  });

  it.each([true, false])('gets its previous protection back (has a Node object: %s)', async (hasNode) => {
    const { deps, look, protection } = await outOfService({ hasNode });
    const scene = await look();
    expect([restoreProtection.isNeeded(scene), restoreProtection.isDone(scene)]).toEqual([true, false]);
    await restoreProtection.apply(scene, deps);
    expect((await look()).world.donor?.protection).toEqual(protection);
  });

  it('loses its tag before its annotation, so that a killed run can be resumed', async () => {
    const { world, deps, look } = await outOfService();
    world.cluster.changeNode = () => Promise.reject(new Error('killed'));
    await expect(restoreNode.apply(await look(), deps)).rejects.toThrow('killed');
    const after = await look();
    expect(after.world.donor?.tags).toEqual({});
    expect(after.world.node?.annotations).toHaveProperty([PRIOR_ANNOTATION]);
    expect(restoreNode.isNeeded(after)).toBe(true);
  });

  it('stays cordoned if its recorded state is damaged, and the run says how to uncordon it', async () => {
    const { world, deps, look, protection } = await outOfService();
    const { name } = (await look()).world.node!;
    world.cluster.touch(name, { isUnschedulable: true, annotations: { [PRIOR_ANNOTATION]: '{"run":' } });
    expect(restoreNode.warning!(await look())).toContain(`kubectl uncordon ${name}`);
    await restoreProtection.apply(await look(), deps);
    await restoreNode.apply(await look(), deps);
    const after = await look();
    expect(after.world.node).toMatchObject({ isUnschedulable: true, annotations: {} });
    expect(after.world.donor).toMatchObject({ protection, tags: {} });
    expect(restoreNode.isNeeded(after)).toBe(false);
  });

  it('needs no restore if it was never taken out of service', async () => {
    const world = lab();
    const deps = {
      ...world.provider,
      cluster: world.cluster,
      clock: world.clock,
      signal: new AbortController().signal,
    };
    const scene = {
      world: await observeWorld(world.intent, world.ref, deps),
      intent: world.intent,
      run: { id: 'r', isAborting: true },
    };
    for (const step of [startDonor, awaitReady, restoreProtection, restoreNode])
      expect(step.isNeeded(scene)).toBe(false);
  });
});

describe('isDonorReady', () => {
  const node = lab().cluster.nodes.values().next().value as Node;

  it.each([
    [{ isReady: false }, false],
    [{ taints: [{ key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' }] }, false],
    [{ taints: [{ key: 'dedicated', effect: 'NoSchedule' }] }, true],
    [{}, true],
  ])('for %j is %s', (change, expected) => {
    expect(isDonorReady({ ...node, ...change }, 0)).toBe(expected);
  });
});

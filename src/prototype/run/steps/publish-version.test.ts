import { describe, expect, it } from 'vitest';
import { Refused } from '../../../base/failures.ts';
import type { Redundancy, Version } from '../../../vms/gallery.ts';
import { TAGS } from '../../names.ts';
import { lab } from '../../testing.ts';
import { observeWorld } from '../observe.ts';
import type { Scene } from '../scene.ts';
import type { StepDeps } from '../step.ts';
import { awaitDeletion, awaitVersion, discardVersion, includeVersion, orderVersion } from './publish-version.ts';

async function captured(change: Partial<Version> | undefined = undefined) {
  const world = lab();
  const { gallery, snapshots, pools } = world.provider;
  const traits = { osState: 'generalized', generation: 'V2', architecture: 'x64', securityType: 'Standard' } as const;
  const identity = { publisher: 'headstart', offer: 'o', sku: 's' };
  await gallery.ensureDefinition({ gallery: world.intent.gallery, name: 'd', ...traits, ...identity }, 'here');
  await pools.stop(world.ref);
  const disk = world.donor.osDisk!.id;
  const tags = { [TAGS.donor]: world.intent.nodeName, [TAGS.donorVmId]: world.donor.vmId };
  await snapshots.createSnapshot({
    name: 's',
    sourceDiskId: disk,
    region: 'here',
    tags: { ...tags, [TAGS.version]: world.intent.version },
  });
  const deps: StepDeps = {
    ...world.provider,
    cluster: world.cluster,
    clock: world.clock,
    signal: new AbortController().signal,
    onWaiting: () => undefined,
    seal: async () => undefined,
  };
  const seen = await observeWorld(world.intent, world.ref, deps);
  const version = { name: world.intent.version, id: '/v', tags: {}, ...change } as Version;
  const scene: Scene = {
    world: {
      ...seen,
      definition: await gallery.readDefinition(world.intent.gallery, 'd'),
      snapshot: await snapshots.readSnapshot('s'),
      versions: change ? [version] : [],
    },
    intent: world.intent,
    run: { id: 'run-1', isAborting: false },
  };
  return { world, deps, scene };
}

describe('orderVersion', () => {
  it.each([
    ['creating', true],
    ['replicating', true],
    ['ready', true],
    ['failed', true],
    ['deleting', true],
  ] as const)('for a version that is %s is done: %s', async (state, isDone) => {
    expect(orderVersion.isDone((await captured({ state })).scene)).toBe(isDone);
  });

  it('requests zone-redundant storage first, then local storage if the region has no zones', async () => {
    const { world, deps, scene } = await captured();
    world.provider.hasZoneRedundancy = false;
    const asked: Redundancy[] = [];
    const { beginVersion: begin } = world.provider.gallery;
    world.provider.gallery.beginVersion = (spec, options) => {
      asked.push(spec.redundancy);
      return begin(spec, options);
    };
    await orderVersion.apply(scene, deps);
    expect(asked).toEqual(['zone', 'local']);
  });

  it('does not request local storage after another refusal', async () => {
    const { world, deps, scene } = await captured();
    let asked = 0;
    world.provider.gallery.beginVersion = () => Promise.reject(new Refused(`no ${++asked}`));
    await expect(orderVersion.apply(scene, deps)).rejects.toThrow('no 1');
    expect(asked).toBe(1);
  });
});

describe('a version that cannot be used', () => {
  it('is deleted if it failed, and its reason is reported', async () => {
    const deleted: string[] = [];
    const { world, deps, scene } = await captured({ state: 'failed', failure: 'the source is gone' });
    world.provider.gallery.deleteVersion = async (_definition, name) => void deleted.push(name);
    expect([discardVersion.isNeeded(scene), awaitDeletion.isNeeded(scene)]).toEqual([true, false]);
    expect(discardVersion.problem!(scene)).toBe(`version ${scene.intent.version} failed: the source is gone`);
    await discardVersion.apply(scene, deps);
    expect(deleted).toEqual([scene.intent.version]);
    const { scene: silent } = await captured({ state: 'failed' });
    expect(discardVersion.problem!(silent)).toContain('gives no reason');
  });

  it('is waited for while it is deleted', async () => {
    const { world, deps, scene } = await captured({ state: 'deleting' });
    expect([discardVersion.isNeeded(scene), awaitDeletion.isNeeded(scene)]).toEqual([false, true]);
    const beganMs = world.clock.nowMs();
    await awaitDeletion.apply(scene, deps);
    expect(world.clock.nowMs() - beganMs).toBe(30_000);
  });
});

describe('awaitVersion and includeVersion', () => {
  it('polls only the version and replaces its previous state', async () => {
    const { deps, scene } = await captured({ state: 'creating' });
    await orderVersion.apply({ ...scene, world: { ...scene.world, versions: [] } }, deps);
    const { versions } = await awaitVersion.poll!(scene, deps);
    expect(versions?.map(({ name }) => name)).toEqual([scene.intent.version]);
    expect(awaitVersion.isDone({ ...scene, world: { ...scene.world, versions: versions! } })).toBe(false);
  });

  it('are done when the version is ready and no longer excluded from latest', async () => {
    const { scene } = await captured({ state: 'ready', isExcludedFromLatest: true });
    expect(includeVersion.isDone(scene)).toBe(false);
    const { scene: included } = await captured({ state: 'ready', isExcludedFromLatest: false });
    expect(includeVersion.isDone(included)).toBe(true);
  });
});

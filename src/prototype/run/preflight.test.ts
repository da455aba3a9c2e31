// Refusals that come before any change.
import { describe, expect, it } from 'vitest';
import { BAD_TAG, MODEL_TAG, TAGS } from '../names.ts';
import { type Lab, lab } from '../testing.ts';
import { donorViolations, readDonorState } from './invariants.testing.ts';

function withDisks(donorGb: number, poolGb: number | undefined): Lab {
  const world = lab();
  world.donor.osDisk = { id: '/disks/donor', sizeGb: donorGb };
  const pool = world.provider.state.pools.get(world.ref.pool.id)!;
  const { osDiskGb: _, ...model } = pool.model;
  pool.model = poolGb === undefined ? model : { ...model, osDiskGb: poolGb };
  return world;
}

describe('the disk of a donor', () => {
  it('is refused before any change if it is larger than the disks of new instances', async () => {
    const world = withDisks(64, 30);
    const found = readDonorState(world);
    await expect(world.run()).rejects.toMatchObject({
      code: 'prototype/disk-too-large',
      message: expect.stringMatching(/64 GB.*30 GB/),
    });
    expect(donorViolations(world, found)).toEqual([]);
    expect(world.cluster.pods).toHaveLength(2);
  });

  it.each([
    [30, 30],
    [30, 64],
    [64, undefined],
  ])('of %i GB is accepted for a pool with %s GB', async (donorGb, poolGb) => {
    const { steps } = await withDisks(donorGb, poolGb).run();
    expect(steps).toContain('switch-model');
  });
});

describe('a definition that two pools of one name would share', () => {
  it('is refused before any change, and the next step is another gallery', async () => {
    const world = lab();
    await world.run();
    world.clock.advance(24 * 3_600_000);
    const [version] = world.provider.state.versions.values();
    expect(version!.tags[TAGS.pool]).toBe('/pools/pool1');
    version!.tags = { ...version!.tags, [TAGS.pool]: '/groups/two/pools/pool1' };
    const found = readDonorState(world);
    const tomorrow = { ...world.intent, version: '2100.1.1' };
    Object.assign(world.intent, tomorrow);
    await expect(world.run()).rejects.toMatchObject({
      code: 'prototype/other-pool',
      message: expect.stringContaining('/groups/two/pools/pool1'),
      next: expect.stringContaining('--gallery'),
    });
    expect(donorViolations(world, found)).toEqual([]);
    expect(world.provider.state.versions.size).toBe(1);
    expect(world.provider.state.snapshots.size).toBe(0);
  });

  it('with versions that say no pool, as kamino makes them, is used', async () => {
    const world = lab();
    await world.run();
    const [version] = world.provider.state.versions.values();
    const { [TAGS.pool]: _, ...tags } = version!.tags;
    version!.tags = tags;
    Object.assign(world.intent, { version: '2100.1.1' });
    expect((await world.run()).version).toBe('2100.1.1');
  });
});

describe('a version that is marked bad', () => {
  it('while its own run waits for it is not offered, and the next day begins with a new copy', async () => {
    const world = lab();
    const { gallery, state } = { gallery: world.provider.gallery, state: world.provider.state };
    const { readVersion } = gallery;
    gallery.readVersion = async (...args) => {
      for (const version of state.versions.values()) version.tags = { ...version.tags, [BAD_TAG]: 'by an operator' };
      return readVersion(...args);
    };
    await expect(world.run()).rejects.toMatchObject({
      code: 'prototype/bad-version',
      message: expect.stringContaining('is marked bad (by an operator)'),
    });
    gallery.readVersion = readVersion;
    const pool = state.pools.get(world.ref.pool.id)!;
    const [bad] = [...state.versions.values()];
    expect(pool.tags[MODEL_TAG]).toBeUndefined();
    expect(bad!.isExcludedFromLatest).toBe(true);
    expect(state.snapshots.size).toBe(1);

    world.clock.advance(24 * 3_600_000);
    world.intent.version = '2099.1.1';
    const { steps } = await world.run();
    expect(steps).toEqual(expect.arrayContaining(['discard-snapshot', 'take-snapshot', 'switch-model']));
    expect(pool.tags[MODEL_TAG]).toBe('2099.1.1');
    expect(bad!.isExcludedFromLatest).toBe(true);
  });

  it.each(['ready', 'failed'] as const)('and is %s blocks its day', async (how) => {
    const world = lab();
    await world.run();
    const [version] = [...world.provider.state.versions.values()];
    version!.tags = { ...version!.tags, [BAD_TAG]: 'x' };
    const { listVersions } = world.provider.gallery;
    world.provider.gallery.listVersions = async (...args) =>
      (await listVersions(...args)).map((seen) => ({ ...seen, state: how }));
    await expect(world.run()).rejects.toMatchObject({ code: 'prototype/bad-version' });
  });
});

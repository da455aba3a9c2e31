// The disk size of the donor compared with the disk size of new instances.
import { describe, expect, it } from 'vitest';
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

// The disk of the donor beside the disk that the pool gives new instances.
import { describe, expect, it } from 'vitest';
import { type Lab, lab } from '../testing.ts';
import { donorViolations, readDonorState } from './invariants.testing.ts';

function withDisks(donorGb: number, poolGb: number | undefined): Lab {
  const world = lab();
  world.donor.osDisk = { id: '/disks/donor', sizeGb: donorGb };
  const pool = world.factory.state.pools.get(world.ref.pool.id)!;
  const { osDiskGb: _, ...model } = pool.model;
  pool.model = poolGb === undefined ? model : { ...model, osDiskGb: poolGb };
  return world;
}

describe('the disk of a donor', () => {
  it('that is larger than the pool gives new instances is refused before anything is touched: none could be made from it', async () => {
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
  ])('of %i GB is fine for a pool of %s', async (donorGb, poolGb) => {
    const { steps } = await withDisks(donorGb, poolGb).run();
    expect(steps).toContain('switch-model');
  });
});

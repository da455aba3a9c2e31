import { describe, expect, it } from 'vitest';
import { NotFound } from '../../base/failures.ts';
import { savedModelName } from '../names.ts';
import { lab, POOL_REF, pod } from '../testing.ts';
import { observeWorld } from './observe.ts';

const look = (world: ReturnType<typeof lab>, changes: Partial<typeof world.intent> = {}) =>
  observeWorld({ ...world.intent, ...changes }, world.ref, {
    ...world.provider,
    cluster: world.cluster,
    clock: world.clock,
    signal: new AbortController().signal,
  });

describe('observeWorld', () => {
  it('finds no definition, versions or saved model before the first run', async () => {
    expect(await look(lab())).toMatchObject({
      definition: undefined,
      versions: [],
      snapshot: undefined,
      savedModel: { state: 'none' },
      references: undefined,
    });
  });

  it('finds them afterwards, and never reads references, which only the prune step needs', async () => {
    const world = lab();
    await world.run();
    await world.cluster.writeSecret(savedModelName(POOL_REF), { recipe: '{}' });
    expect(await look(world)).toMatchObject({
      savedModel: { state: 'current' },
      versions: [{ state: 'ready' }],
      references: undefined,
    });
    expect((await look(world, { imageHistory: 0 })).references).toBeUndefined();
  });

  it('does not take a node of the same name on another machine for the donor', async () => {
    const world = lab();
    world.cluster.touch(world.donor.computerName, { systemUuid: '99999999-0000-4000-8000-000000000000' });
    const { node, donor, podsToMove } = await look(world);
    expect([node, podsToMove, donor?.vmId]).toEqual([undefined, [], world.donor.vmId]);
  });

  it('finds neither node nor donor when the instance is gone', async () => {
    const world = lab();
    world.provider.state.pools.get(world.ref.pool.id)!.instances.shift();
    expect(await look(world)).toMatchObject({ node: undefined, donor: undefined });
  });

  it('separates pods that a drain moves from pods that it refuses with the given options', async () => {
    const world = lab();
    const { ownerKind: _, ...bare } = pod('bare', world.donor.computerName, { ownerExists: false });
    world.cluster.pods = [bare];
    expect((await look(world)).podsRefused).toEqual([expect.stringMatching(/^default\/bare \(/)]);
    expect(await look(world, { isDrainForced: true })).toMatchObject({
      podsRefused: [],
      podsToMove: [{ name: 'bare' }],
    });
  });

  it('throws when the pool does not exist', async () => {
    const world = lab();
    world.provider.state.pools.clear();
    await expect(look(world)).rejects.toBeInstanceOf(NotFound);
  });
});

import { describe, expect, it } from 'vitest';
import type { ImageRef } from '../../../vms/pools.ts';
import { savedModelName } from '../../names.ts';
import { type Lab, lab, POOL_REF } from '../../testing.ts';
import { runPrototype } from '../engine.ts';
import { donorViolations, readDonorState } from '../invariants.testing.ts';

const NEWER: ImageRef = { kind: 'marketplace', publisher: 'debian', offer: 'debian-13', sku: '13', version: 'latest' };

function secretOf({ cluster }: Lab) {
  const { recipe, previous, ...more } = cluster.secrets.get(savedModelName(POOL_REF)) ?? {};
  const parse = (text: string | undefined) => text && (JSON.parse(text) as { image: ImageRef; customData?: string });
  return { ...more, recipe: parse(recipe), previous: parse(previous) };
}

const poolOf = ({ provider, ref }: Lab) => provider.state.pools.get(ref.pool.id)!;

/** As the owner of the pool does it, with the cloud's own tools. */
function setModel(world: Lab, image: ImageRef): void {
  const pool = poolOf(world);
  pool.model = { ...pool.model, image, bootstrap: 'unknown' };
  pool.tags = {};
  pool.etag = `"${image.kind}"`;
}

function runWith(world: Lab, customData: string | undefined, runId: string) {
  return runPrototype(world.intent, world.ref, runId, {
    ...world.provider,
    cluster: world.cluster,
    clock: world.clock,
    signal: new AbortController().signal,
    onEvent: () => undefined,
    seal: async () => {
      world.donor.isSealed = true;
    },
    ...(customData !== undefined && { customData }),
  });
}

function tomorrow(world: Lab, version: string): void {
  world.clock.advance(24 * 3_600_000);
  world.intent.version = version;
}

describe('the saved model', () => {
  it('is the one that a person last set, and the one before it is kept', async () => {
    const world = lab();
    const first = poolOf(world).model.image;
    await runWith(world, 'Zmlyc3Q=', 'run-1');
    setModel(world, NEWER);
    tomorrow(world, '2099.1.1');
    await runWith(world, 'c2Vjb25k', 'run-2');
    expect(secretOf(world)).toEqual({
      recipe: expect.objectContaining({ image: NEWER, customData: 'c2Vjb25k' }),
      previous: expect.objectContaining({ image: first, customData: 'Zmlyc3Q=' }),
      run: 'run-2',
      pool: POOL_REF.id,
    });
  });

  it('gets new custom data although nothing else of the model changed', async () => {
    const world = lab();
    const { image } = poolOf(world).model;
    const { extensions } = poolOf(world).model;
    await runWith(world, 'Zmlyc3Q=', 'run-1');
    setModel(world, image);
    poolOf(world).model.extensions = extensions;
    tomorrow(world, '2099.1.1');
    await runWith(world, 'c2Vjb25k', 'run-2');
    expect(secretOf(world)).toMatchObject({ recipe: { customData: 'c2Vjb25k' }, previous: undefined });
  });

  it('keeps its custom data if a later run of the same model finds none', async () => {
    const world = lab();
    const { image, extensions } = poolOf(world).model;
    await runWith(world, 'Zmlyc3Q=', 'run-1');
    setModel(world, image);
    poolOf(world).model.extensions = extensions;
    tomorrow(world, '2099.1.1');
    await runWith(world, undefined, 'run-2');
    expect(secretOf(world)).toMatchObject({ recipe: { customData: 'Zmlyc3Q=' }, run: 'run-2' });
  });

  it('does not take custom data over to another model', async () => {
    const world = lab();
    await runWith(world, 'Zmlyc3Q=', 'run-1');
    setModel(world, NEWER);
    tomorrow(world, '2099.1.1');
    await runWith(world, undefined, 'run-2');
    expect(secretOf(world).recipe).not.toHaveProperty('customData');
  });

  it.each(['version', 'definition'] as const)('is never a prototype (%s), also if the Secret is gone', async (kind) => {
    const world = lab();
    await world.run();
    world.cluster.secrets.clear();
    const [definition] = [...world.provider.state.definitions.values()];
    const pool = poolOf(world);
    if (kind === 'definition') pool.model.image = { kind, id: definition!.id };
    pool.tags = {};
    tomorrow(world, '2099.1.1');
    await world.run();
    expect(world.cluster.secrets.size).toBe(0);
    expect(pool.model.image).toMatchObject({ id: expect.stringContaining('2099.1.1') });
  });

  it('is not the one of the run if a person changes the model during it: the run stops before the switch', async () => {
    const world = lab();
    const found = readDonorState(world);
    const { beginVersion } = world.provider.gallery;
    world.provider.gallery.beginVersion = async (...args) => {
      await beginVersion(...args);
      setModel(world, NEWER);
    };
    await expect(world.run()).rejects.toMatchObject({ code: 'prototype/model-changed' });
    expect(poolOf(world).model.image).toEqual(NEWER);
    expect(donorViolations(world, found)).toEqual([]);
    const { steps } = await world.run();
    expect(steps).toContain('switch-model');
    expect(secretOf(world).recipe).toMatchObject({ image: NEWER });
  });
});

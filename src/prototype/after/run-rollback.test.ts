import { describe, expect, it } from 'vitest';
import { Conflict, Forbidden, NotFound } from '../../base/failures.ts';
import { LeaseHeld } from '../../cluster/lease-held.ts';
import type { PoolRef } from '../../vms/pools.ts';
import { donorLab } from '../donor/testing.ts';
import { leaseName, MODEL_TAG, savedModelName } from '../names.ts';
import type { RunEvent } from '../run/run-event.ts';
import { POOL_REF } from '../testing.ts';
import { chooseRollback, type RollbackRequest, rollBackPool } from './run-rollback.ts';

const OLDER = '2026.1.1';

/** A pool after a run, with its version and an older one. */
async function afterARun() {
  const world = donorLab();
  await world.run();
  const { versions } = world.provider.state;
  const [made] = [...versions.values()];
  const older = { ...made!, name: OLDER, id: made!.id.replace(made!.name, OLDER) };
  versions.set(older.id, older);
  const { signal, clock } = world.deps;
  const pool = world.ref.pool;
  const events: RunEvent[] = [];
  const deps = { clock, signal, onEvent: (event: RunEvent) => void events.push(event) };
  return {
    ...world,
    older,
    pool,
    events,
    state: () => world.provider.state.pools.get(pool.id)!,
    choose: (request: RollbackRequest = {}) => chooseRollback(world.site, pool, request, signal),
    rollBack: (request: RollbackRequest = {}) => rollBackPool(world.site, { pool, holder: 'me', ...request }, deps),
  };
}

const original = {
  image: { kind: 'marketplace', publisher: 'p', offer: 'o', sku: 's', version: 'latest' },
  extensions: [],
};
const saved = (customData?: string) => ({ recipe: JSON.stringify({ ...original, customData }) });

describe('chooseRollback', () => {
  it('reads only, and needs no hold', async () => {
    const { cluster, state, choose, older } = await afterARun();
    await cluster.holdLease(leaseName(POOL_REF), { holder: 'another', durationMs: 60_000, note: '' });
    const before = JSON.stringify(state());
    expect((await choose()).change.image).toEqual({ kind: 'version', id: older.id });
    expect(JSON.stringify(state())).toBe(before);
  });

  it('needs the Secret of the saved model only for a rollback to the original', async () => {
    const { cluster, choose, older } = await afterARun();
    cluster.readSecret = () => Promise.reject(new Forbidden('no right to get secrets'));
    expect((await choose({ to: OLDER })).change.image).toEqual({ kind: 'version', id: older.id });
    await expect(choose({ to: 'original' })).rejects.toBeInstanceOf(Forbidden);
  });

  it('passes on other failures of the cluster', async () => {
    const { cluster, choose } = await afterARun();
    cluster.readSecret = () => Promise.reject(new Conflict('x'));
    await expect(choose({ to: OLDER })).rejects.toBeInstanceOf(Conflict);
  });

  it('reads the given bootstrap only if needed, and prefers it to the saved one', async () => {
    const { cluster, choose } = await afterARun();
    cluster.secrets.set(savedModelName(POOL_REF), saved('c2F2ZWQ='));
    let reads = 0;
    const readBootstrap = () => {
      reads++;
      return 'Z2l2ZW4=';
    };
    await choose({ to: OLDER, readBootstrap });
    expect(reads).toBe(0);
    expect((await choose({ to: 'original' })).change.bootstrap).toEqual({ customData: 'c2F2ZWQ=' });
    expect((await choose({ to: 'original', readBootstrap })).change.bootstrap).toEqual({ customData: 'Z2l2ZW4=' });
    expect(reads).toBe(1);
  });

  it('names what is missing: the pool, the saved model or its bootstrap', async () => {
    const { cluster, site, deps, choose } = await afterARun();
    const nowhere: PoolRef = { ...(await choose()).pool.ref, id: '/pools/nowhere', name: 'nowhere' };
    await expect(chooseRollback(site, nowhere, {}, deps.signal)).rejects.toBeInstanceOf(NotFound);
    cluster.secrets.set(savedModelName(POOL_REF), saved());
    await expect(choose({ to: 'original' })).rejects.toMatchObject({ code: 'prototype/no-way-back' });
    cluster.secrets.clear();
    await expect(choose({ to: 'original' })).rejects.toMatchObject({ code: 'prototype/no-recipe' });
  });
});

describe('rollBackPool', () => {
  it('changes the model in one update, tags the pool and releases it', async () => {
    const { cluster, state, rollBack, older } = await afterARun();
    await rollBack();
    expect(state().model.image).toEqual({ kind: 'version', id: older.id });
    expect(state().tags[MODEL_TAG]).toBe(OLDER);
    expect(cluster.leases.size).toBe(0);
  });

  it('reads the pool and chooses again after a conflict', async () => {
    const { provider, rollBack, state, events } = await afterARun();
    const { changeModel } = provider.publisher;
    const [made] = [...provider.state.versions.values()];
    const newer = { ...made!, name: '2026.2.2', id: made!.id.replace(made!.name, '2026.2.2') };
    let tries = 0;
    provider.publisher.changeModel = async (...args) => {
      if (tries++ > 0) return changeModel(...args);
      provider.state.versions.set(newer.id, newer); // made by another meanwhile
      throw new Conflict('changed since it was read');
    };
    await rollBack();
    expect(state().model.image).toEqual({ kind: 'version', id: newer.id });
    expect(events).toMatchObject([{ event: 'retry', step: 'rollback', because: 'changed since it was read' }]);
  });

  it('does nothing during a run, and releases its hold when it fails', async () => {
    const { cluster, state, rollBack } = await afterARun();
    const before = JSON.stringify(state());
    await expect(rollBack({ to: '1.2.3' })).rejects.toMatchObject({ code: 'prototype/no-such-version' });
    expect(cluster.leases.size).toBe(0);
    await cluster.holdLease(leaseName(POOL_REF), { holder: 'a run', durationMs: 60_000, note: '' });
    await expect(rollBack()).rejects.toBeInstanceOf(LeaseHeld);
    expect(JSON.stringify(state())).toBe(before);
  });
});

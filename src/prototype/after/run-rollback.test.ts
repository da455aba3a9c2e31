import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { Conflict, Forbidden, NotFound } from '../../base/failures.ts';
import { LeaseHeld } from '../../cluster/lease-held.ts';
import type { PoolRef } from '../../vms/pools.ts';
import { badReason } from '../bad-version.ts';
import { donorLab } from '../donor/testing.ts';
import { BAD_TAG, leaseName, MODEL_TAG, ROLLBACK_TAG, savedModelName } from '../names.ts';
import type { RunEvent } from '../run/run-event.ts';
import { Crash, Dial, FAULTS, POOL, POOL_REF } from '../testing.ts';
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
    made: made!,
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

describe('the version that a rollback leaves', () => {
  it('is marked bad with the day and excluded from latest', async () => {
    const { rollBack, made, older, clock } = await afterARun();
    expect(await rollBack()).toMatchObject({ left: { name: made.name } });
    expect(badReason(made)).toBe(`rollback ordered ${new Date(clock.nowMs()).toISOString().slice(0, 10)}`);
    expect(made.isExcludedFromLatest).toBe(true);
    expect(badReason(older)).toBeUndefined();
  });

  it('is marked also by a rollback to the original', async () => {
    const { rollBack, made, cluster, state } = await afterARun();
    cluster.secrets.set(savedModelName(POOL_REF), saved('c2F2ZWQ='));
    await rollBack({ to: 'original' });
    expect(state().model.image).toEqual(original.image);
    expect(badReason(made)).toContain('rollback ordered');
  });

  it('keeps the first reason', async () => {
    const { rollBack, made } = await afterARun();
    made.tags = { ...made.tags, [BAD_TAG]: 'kernel panics' };
    await rollBack();
    expect(badReason(made)).toBe('kernel panics');
  });

  it('is offered by no run of the same day, and another version is made on the next day', async () => {
    const { rollBack, made, older, state, run, intent, clock, provider } = await afterARun();
    await rollBack();
    await expect(run()).rejects.toMatchObject({
      code: 'prototype/bad-version',
      message: expect.stringContaining(`version ${made.name} is marked bad (rollback ordered `),
      next: expect.stringContaining(`--to ${made.name} --clear-bad`),
    });
    expect(state().model.image).toEqual({ kind: 'version', id: older.id });
    expect(made.isExcludedFromLatest).toBe(true);
    clock.advance(24 * 3_600_000);
    intent.version = '2099.1.1';
    await run();
    expect(state().model.image).toMatchObject({ id: expect.stringContaining('2099.1.1') });
    expect([...provider.state.snapshots.values()]).toEqual([]);
  });

  it('does not count as left if the pool goes to a newer version', async () => {
    const { rollBack, older, made, state } = await afterARun();
    await rollBack();
    await rollBack({ to: made.name, clearsBad: true });
    expect(state().model.image).toEqual({ kind: 'version', id: made.id });
    expect([badReason(made), badReason(older)]).toEqual([undefined, undefined]);
    expect(made.isExcludedFromLatest).toBe(false);
  });

  it('is marked whenever the model has changed, whatever fails and whenever the process dies', async () => {
    const { dial: counted } = await withFault();
    let landed = 0;
    for (const fault of FAULTS) {
      for (let at = 0; at < counted.calls; at++) {
        const { state, made, older, error, dial } = await withFault(fault, at);
        const now = `${fault} at call ${at} (${dial.names[at]}): ${error?.message}`;
        const image = state().model.image as { id: string };
        expect([made.id, older.id], now).toContain(image.id);
        expect(badReason(older), now).toBeUndefined();
        if (image.id !== older.id) continue;
        landed++;
        expect(badReason(made), now).toBeDefined();
        expect(made.isExcludedFromLatest, now).toBe(true);
      }
    }
    expect(landed).toBeGreaterThan(counted.calls);
  });

  it('stays marked if the model cannot be changed, and the error says so', async () => {
    const { provider, rollBack, made, state } = await afterARun();
    provider.publisher.changeModel = () => Promise.reject(new Forbidden('denied by policy'));
    await expect(rollBack()).rejects.toMatchObject({
      message: `${POOL} could not be rolled back: denied by policy`,
      kept: `Version ${made.name} is marked bad (\`--to ${made.name} --clear-bad\` removes the mark); ${POOL} may still start from it.`,
      next: 'run the same command again',
      exitCode: 4,
    });
    expect(badReason(made)).toBeDefined();
    expect(state().model.image).toEqual({ kind: 'version', id: made.id });
  });

  it('stays marked if a person sets another image meanwhile, and the next step is not the same command', async () => {
    const { provider, rollBack, made, state } = await afterARun();
    provider.publisher.changeModel = async () => {
      state().model.image = { kind: 'marketplace', publisher: 'p', offer: 'o', sku: 's', version: '1' };
      throw new Conflict('changed since it was read');
    };
    const error = await rollBack().then(
      () => undefined,
      (failure: UserError) => failure,
    );
    expect(error).toMatchObject({ code: 'prototype/not-on-prototype', exitCode: 4 });
    expect(error?.kept).toContain(`Version ${made.name} is marked bad`);
    expect(error?.next).toContain('headstart prototype rollback --pool');
    expect(badReason(made)).toContain('rollback ordered');
  });

  async function withFault(...fault: ConstructorParameters<typeof Dial>) {
    const world = await afterARun();
    const dial = new Dial(...fault);
    const site = { ...world.site, provider: dial.wrapProvider(world.provider), cluster: dial.wrap(world.site.cluster) };
    const { clock, signal } = world.deps;
    const deps = { clock, signal, onEvent: () => undefined };
    const error = await rollBackPool(site, { pool: world.pool, holder: 'me' }, deps).then(
      () => undefined,
      (failure: Error) => failure,
    );
    if (error && !(error instanceof Crash) && !(error instanceof UserError)) throw error;
    return { ...world, dial, error };
  }
});

describe('a rollback without --to that died after the model changed', () => {
  it('is finished by the same command, which goes back no further', async () => {
    const { rollBack, made, older, oldest, state } = await diedAfter('changeModel');
    expect(state().model.image).toEqual({ kind: 'version', id: older.id });
    expect(await rollBack()).toMatchObject({ isFinished: true, left: { name: made.name } });
    expect(state().model.image).toEqual({ kind: 'version', id: older.id });
    expect(badReason(older)).toBeUndefined();
    expect(state().tags[ROLLBACK_TAG]).toBeUndefined();
    expect(await rollBack()).toMatchObject({ left: { name: OLDER } }); // now it is another rollback
    expect(state().model.image).toEqual({ kind: 'version', id: oldest.id });
  });

  it('does not stop a rollback to a named version', async () => {
    const { rollBack, oldest, state } = await diedAfter('changeModel');
    await rollBack({ to: oldest.name });
    expect(state().model.image).toEqual({ kind: 'version', id: oldest.id });
    expect(state().tags[ROLLBACK_TAG]).toBeUndefined();
  });

  it('does not count once the model was changed again', async () => {
    const { rollBack, made, older, state } = await diedAfter('changeModel');
    state().model.image = { kind: 'version', id: made.id };
    const repeated = await rollBack();
    expect(repeated.isFinished).toBeUndefined();
    expect(state().model.image).toEqual({ kind: 'version', id: older.id });
  });

  it('goes back one version, whichever call is the last of the dead process', async () => {
    const calls = await callsOfARollback();
    const markRemoved = calls.lastIndexOf('tagPool');
    expect(markRemoved).toBeGreaterThan(calls.indexOf('changeModel'));
    for (const fault of ['crash-before', 'crash-after'] as const) {
      for (let at = 0; at < markRemoved; at++) {
        const { rollBack, state, older } = await died(new Dial(fault, at));
        await rollBack();
        expect(state().model.image, `${fault} at ${calls[at]}`).toEqual({ kind: 'version', id: older.id });
      }
    }
  });

  async function diedAfter(call: string) {
    return died(new Dial('crash-after', (await callsOfARollback()).indexOf(call)));
  }

  async function callsOfARollback(): Promise<string[]> {
    const dial = new Dial();
    await died(dial);
    return dial.names;
  }

  /** The hold of the dead process has run out. */
  async function died(dial: Dial) {
    const world = await afterARun();
    const oldest = { ...world.older, name: '2025.1.1', id: world.older.id.replace(OLDER, '2025.1.1') };
    world.provider.state.versions.set(oldest.id, oldest);
    const site = { ...world.site, provider: dial.wrapProvider(world.provider), cluster: dial.wrap(world.site.cluster) };
    const { clock, signal } = world.deps;
    const rolledBack = rollBackPool(
      site,
      { pool: world.pool, holder: 'dead' },
      { clock, signal, onEvent: () => undefined },
    );
    await rolledBack.catch((error: unknown) => {
      if (!dial.isDead) throw error;
    });
    world.cluster.leases.clear();
    return { ...world, oldest };
  }
});

describe('a bad version', () => {
  it('is skipped, refused by name, and used with --clear-bad', async () => {
    const { choose, older, made, provider } = await afterARun();
    const oldest = { ...older, name: '2025.1.1', id: made.id.replace(made.name, '2025.1.1') };
    provider.state.versions.set(oldest.id, oldest);
    older.tags = { ...older.tags, [BAD_TAG]: 'kernel panics' };
    expect((await choose()).change.image).toEqual({ kind: 'version', id: oldest.id });
    await expect(choose({ to: OLDER })).rejects.toMatchObject({
      code: 'prototype/bad-version',
      message: `version ${OLDER} is marked bad: kernel panics`,
      next: expect.stringContaining('--to 2025.1.1'),
    });
    expect(await choose({ to: OLDER, clearsBad: true })).toMatchObject({
      cleared: { name: OLDER },
      left: { name: made.name },
    });
  });

  it('is named when no good one is left', async () => {
    const { choose, older } = await afterARun();
    older.tags = { ...older.tags, [BAD_TAG]: 'kernel panics' };
    await expect(choose()).rejects.toThrow(`${OLDER} (bad: kernel panics)`);
  });

  it.each([undefined, 'original'])('is not cleared without its name (--to %s)', async (to) => {
    const { choose } = await afterARun();
    await expect(choose({ to, clearsBad: true })).rejects.toMatchObject({ code: 'prototype/nothing-to-clear' });
  });
});

describe('a pool that does not start from a prototype', () => {
  it.each([undefined, 'original'])(
    'is not rolled back (--to %s), and its model stays as its owner set it',
    async (to) => {
      const { rollBack, state, cluster, made } = await afterARun();
      cluster.secrets.set(savedModelName(POOL_REF), saved('c2F2ZWQ='));
      await rollBack({ to: 'original' });
      state().model.image = { kind: 'marketplace', publisher: 'p', offer: 'o', sku: 'newer', version: 'latest' };
      const before = JSON.stringify(state().model);
      await expect(rollBack({ to })).rejects.toMatchObject({
        code: 'prototype/not-on-prototype',
        message: `there is nothing to roll back: ${POOL} does not start from a prototype`,
        next: expect.stringContaining(`--to ${OLDER}`),
      });
      expect(JSON.stringify(state().model)).toBe(before);
      expect(badReason(made)).toBeDefined();
    },
  );
});

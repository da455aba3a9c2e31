import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { withLock } from '../../../host/locks.ts';
import { type StandbyLab, standbySuite } from '../../standby.suite.ts';
import { instanceFiles, instanceFolder, poolFolder, standbyLock, standbyTrouble } from '../home/layout.ts';
import { fillStandby } from './keep-standby.ts';
import { none, parkedWorld, problemsIn, type StandbyWorld, standbyWorld } from './world.testing.ts';

async function localLab(): Promise<StandbyLab> {
  const world = await standbyWorld();
  const { pools, standby } = world.provider;
  return {
    ...{ pools, standby },
    tiers: ['paused', 'frozen', 'stopped'],
    async makePool(instances) {
      await pools.setCapacity(world.pool, instances);
      return world.pool;
    },
    settle: async (pool) => void (await standby.fillStandby(pool)),
    breakMember: async (ref) => rmSync(join(instanceFolder(world.context.home, ref), instanceFiles.parked)),
    end: async () => world.end(),
  };
}

standbySuite('local pools', localLab);

let world: StandbyWorld;
afterEach(() => world?.end());
const frozen = { ...none, frozen: 1 };
/** To the other image that its gallery has. */
async function changeImage({ provider, pool: ref }: StandbyWorld): Promise<void> {
  const pool = (await provider.pools.readPool(ref))!;
  const { id } = pool.model.image as { id: string };
  const image = { kind: 'version' as const, id: id.replace('1.0.0', '1.0.1') };
  await provider.publisher.changeModel(pool, { image, bootstrap: 'none', extensions: { keep: [], add: [] }, tags: {} });
}

describe('the policy of a pool', () => {
  it.each([59_000, 0, -1])(
    'does not accept an age of %i ms: instances would be replaced for ever',
    async (maxAgeMs) => {
      world = await standbyWorld();
      const set = world.provider.standby.setStandby(world.pool, { counts: frozen, maxAgeMs });
      await expect(set).rejects.toMatchObject({ code: 'vms/bad-standby' });
    },
  );
});

describe('two changes of the policy at once', () => {
  const one = (tier: 'frozen' | 'paused') => ({ counts: { ...none, [tier]: 1 } });

  it('are not mixed up: one that was computed from an older policy is refused', async () => {
    world = await standbyWorld();
    const { standby } = world.provider;
    const asked = ['frozen' as const, 'paused' as const].map((tier) =>
      standby.setStandby(world.pool, one(tier), { from: undefined }),
    );
    const ended = await Promise.allSettled(asked);
    expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(ended.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'vms/conflict' } });
  });

  it('succeed when each knows the other, and when a caller does not mind', async () => {
    world = await standbyWorld();
    const { standby } = world.provider;
    await standby.setStandby(world.pool, one('frozen'), { from: { counts: none } });
    await standby.setStandby(world.pool, one('paused'), { from: one('frozen') });
    await standby.setStandby(world.pool, one('frozen'));
    expect((await standby.readStandby(world.pool))?.policy).toEqual(one('frozen'));
  });
});

describe('preparing what is missing', () => {
  it('keeps the reason of a failure until it succeeds', async () => {
    world = await standbyWorld({ checkStandby: () => Promise.reject(new Error('twins')) });
    const { standby } = world.provider;
    await standby.setStandby(world.pool, { counts: frozen });
    await expect(standby.fillStandby(world.pool)).rejects.toThrow('twins');
    expect(await standby.readStandby(world.pool)).toMatchObject({ trouble: 'twins', members: [] });
    await fillStandby({ ...world.context, checkStandby: async () => undefined }, world.pool);
    expect((await standby.readStandby(world.pool))?.trouble).toBeUndefined();
    expect(await problemsIn(world, { inService: 0, counts: frozen })).toEqual([]);
  });

  it('does without the reason of a failure when it cannot be read', async () => {
    world = await parkedWorld('frozen');
    const { standby } = world.provider;
    writeFileSync(join(poolFolder(world.context.home, 'web'), standbyTrouble), '{"message":');
    expect(await standby.readStandby(world.pool)).toMatchObject({ members: [{ state: 'ready' }] });
    await standby.fillStandby(world.pool);
    expect(await problemsIn(world, { inService: 0, counts: frozen })).toEqual([]);
  });

  it('replaces one that is not up to date only after its successor is parked', async () => {
    world = await parkedWorld('frozen');
    const { pools, standby } = world.provider;
    await pools.setUserData(world.pool, 'YQ==');
    expect((await standby.readStandby(world.pool))?.members).toMatchObject([
      { state: 'ready', why: expect.stringContaining('document has changed') },
    ]);
    const steps: string[] = [];
    const { prepared, discarded } = await standby.fillStandby(world.pool, { onStep: (text) => steps.push(text) });
    expect([prepared, discarded].map(({ length }) => length)).toEqual([1, 1]);
    expect(steps).toEqual([
      expect.stringMatching(/^preparing one frozen, to replace web-000001/),
      expect.stringMatching(/^discarding web-000001/),
    ]);
  });

  it('ends with an error when what it parks is never usable, instead of preparing for ever', async () => {
    world = await standbyWorld();
    const { standby } = world.provider;
    await standby.setStandby(world.pool, { counts: { ...none, paused: 1 } });
    let parked = 0;
    world.interrupt = (call, when) => {
      if (call !== 'pause' || when === 'before') return;
      if (++parked > 20) throw new Error('it never ends');
      world.guests.clear(); // this machine has too little memory, and its kernel kills the process
    };
    await expect(standby.fillStandby(world.pool)).rejects.toMatchObject({
      code: 'vms/standby-lost',
      message: expect.stringContaining('its process is off'),
    });
    expect((await standby.readStandby(world.pool))?.trouble).toContain('its process is off');
    world.interrupt = () => undefined;
    await standby.fillStandby(world.pool);
    expect(await problemsIn(world, { inService: 0, counts: { ...none, paused: 1 } })).toEqual([]);
  });

  it.each<[string, (world: StandbyWorld) => Promise<unknown>]>([
    ['image', changeImage],
    ['document', ({ provider, pool }) => provider.pools.setUserData(pool, 'YQ==')],
    ['policy', ({ provider, pool }) => provider.standby.setStandby(pool, { counts: none })],
  ])('replaces all that it has prepared when the %s changes before the last one', async (what, change) => {
    world = await standbyWorld();
    const { standby } = world.provider;
    const counts = { ...none, frozen: 5 };
    await standby.setStandby(world.pool, { counts });
    let frozenYet = 0;
    world.interrupt = async (call, when) => {
      if (call === 'freeze' && when === 'before' && ++frozenYet === 4) changing = change(world);
    };
    let changing: Promise<unknown> | undefined;
    await standby.fillStandby(world.pool);
    await changing;
    world.interrupt = () => undefined;
    await standby.fillStandby(world.pool);
    expect(await problemsIn(world, { inService: 0, counts: what === 'policy' ? none : counts })).toEqual([]);
  });

  it('says that the disk is full, and discards what did not fit', async () => {
    world = await standbyWorld();
    const { standby } = world.provider;
    await standby.setStandby(world.pool, { counts: frozen });
    world.interrupt = (call, when) => {
      if (call === 'freeze' && when === 'before')
        throw Object.assign(new Error('ENOSPC: no space left on device, fsync'), { code: 'ENOSPC' });
    };
    await expect(standby.fillStandby(world.pool)).rejects.toMatchObject({ code: 'vms/no-space' });
    expect((await standby.readStandby(world.pool))?.trouble).toContain('disk is full');
    world.interrupt = () => undefined;
    await standby.fillStandby(world.pool);
    expect(await problemsIn(world, { inService: 0, counts: frozen })).toEqual([]);
  });

  it('leaves the work to another command that does it', async () => {
    world = await standbyWorld();
    await world.provider.standby.setStandby(world.pool, { counts: frozen });
    const name = standbyLock(world.pool.name);
    const other = (work: () => Promise<void>) => withLock(world.context.home, { name, why: 'test' }, {}, work);
    await other(async () => {
      expect(await fillStandby(world.context, world.pool, { ifBusy: 'leave' })).toMatchObject({ isBusy: true });
    });
  });

  it('waits for another command that prepares them, for hours if necessary', async () => {
    world = await standbyWorld();
    const { context, pool, provider } = world;
    await provider.standby.setStandby(pool, { counts: frozen });
    let filling: Promise<unknown> | undefined;
    await withLock(context.home, { name: standbyLock(pool.name), why: 'test' }, {}, async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
      filling = fillStandby(context, pool);
      filling.catch(() => {});
      vi.advanceTimersByTime(24 * 3_600_000);
      vi.useRealTimers();
    });
    expect(await filling).toMatchObject({ isBusy: false, prepared: [expect.anything()] });
  });

  it('throws NotFound when the pool was deleted meanwhile', async () => {
    world = await standbyWorld();
    const { standby, pools } = world.provider;
    await standby.setStandby(world.pool, { counts: frozen });
    let deleting: Promise<void> | undefined;
    world.interrupt = async (call, when) => {
      if (!call.startsWith('awaitReady') || when === 'before') return;
      world.interrupt = () => undefined;
      deleting = pools.deletePool(world.pool);
      await deleting;
    };
    await expect(standby.fillStandby(world.pool)).rejects.toMatchObject({ code: 'vms/not-found' });
    await deleting;
    expect(world.nodes.size + world.guests.size).toBe(0);
  });
});

describe('deleting', () => {
  it('forgets why the last one could not be prepared', async () => {
    world = await standbyWorld({ checkStandby: () => Promise.reject(new Error('twins')) });
    const { standby } = world.provider;
    await standby.setStandby(world.pool, { counts: frozen });
    await expect(standby.fillStandby(world.pool)).rejects.toThrow('twins');
    await standby.deleteStandby(world.pool);
    await standby.setStandby(world.pool, { counts: none });
    expect((await standby.readStandby(world.pool))?.trouble).toBeUndefined();
  });

  it('succeeds while the API server is down', async () => {
    world = await parkedWorld('frozen');
    world.isClusterDown = true;
    await world.provider.standby.deleteStandby(world.pool);
    expect(await world.provider.standby.readStandby(world.pool)).toBeUndefined();
  });
});

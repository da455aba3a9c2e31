// vms/standby.suite.ts: tests of the contract standby.ts. Every provider that keeps standby instances passes them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NotFound, Refused } from '../base/failures.ts';
import { goneId } from './lab.testing.ts';
import type { InstanceRef, PoolRef, Pools } from './pools.ts';
import { STANDBY_TIERS, type Standby, type StandbyCounts, type StandbyTier } from './standby.ts';

export interface StandbyLab {
  pools: Pools;
  standby: Standby;
  /** Which tiers one pool can keep at once. */
  tiers: readonly [StandbyTier, ...StandbyTier[]];
  makePool(instances: number): Promise<PoolRef>;
  /** Lets the provider prepare what the policy asks for, and returns when it has. */
  settle(pool: PoolRef): Promise<void>;
  /** After this, the parked instance cannot be claimed. */
  breakMember(instance: InstanceRef): Promise<void>;
  /** What a person does with a broken one where the provider leaves it; absent where the provider replaces it. */
  removeBroken?(instance: InstanceRef): Promise<void>;
  end(): Promise<void>;
}

const none: StandbyCounts = { paused: 0, frozen: 0, stopped: 0 };

export function standbySuite(name: string, makeLab: () => Promise<StandbyLab>): void {
  describe(`${name}: standby instances`, () => {
    let lab: StandbyLab;
    let pool: PoolRef;
    beforeEach(async () => {
      lab = await makeLab();
      pool = await lab.makePool(1);
    });
    afterEach(() => lab.end());

    const keep = async (counts: Partial<StandbyCounts>) => {
      await lab.standby.setStandby(pool, { counts: { ...none, ...counts } });
      await lab.settle(pool);
    };
    const membersOf = async () => (await lab.standby.readStandby(pool))?.members ?? [];
    const instanceIds = async () => (await lab.pools.listInstances(pool)).map(({ ref }) => ref.id).sort();
    const ofEach = () => Object.fromEntries(lab.tiers.map((tier) => [tier, 1]));

    describe('keeping them', () => {
      it('has none until it is set', async () => {
        expect(await lab.standby.readStandby(pool)).toBeUndefined();
      });

      it('keeps as many of each tier as it was set, each with the reason', async () => {
        await keep(ofEach());
        const state = await lab.standby.readStandby(pool);
        expect(state?.policy.counts).toEqual({ ...none, ...ofEach() });
        expect(state?.trouble).toBeUndefined();
        expect(state?.members.map(({ tier }) => tier).sort()).toEqual([...lab.tiers].sort());
        for (const member of state?.members ?? []) {
          expect(member).toMatchObject({ state: 'ready', instance: { pool: { id: pool.id } } });
          expect(member.why).not.toBe('');
        }
      });

      it('does not count them in the pool, nor list them as its instances', async () => {
        const before = await instanceIds();
        await keep(ofEach());
        expect(await instanceIds()).toEqual(before);
        expect((await lab.pools.readPool(pool))?.capacity).toBe(before.length);
        for (const { instance } of await membersOf()) expect(before).not.toContain(instance.id);
      });

      it('keeps the same instances when the same is set again', async () => {
        const [tier] = lab.tiers;
        await keep({ [tier]: 2 });
        const before = await membersOf();
        await keep({ [tier]: 2 });
        expect((await membersOf()).map(({ instance }) => instance)).toEqual(before.map(({ instance }) => instance));
      });

      it('follows a larger and a smaller number', async () => {
        const [tier] = lab.tiers;
        for (const count of [1, 3, 1, 0]) {
          await keep({ [tier]: count });
          expect(await membersOf()).toHaveLength(count);
        }
      });

      it('replaces one that cannot be used any more', async () => {
        const [tier] = lab.tiers;
        await keep({ [tier]: 1 });
        const [broken] = await membersOf();
        await lab.breakMember(broken!.instance);
        expect(await membersOf()).toMatchObject([{ state: 'broken', why: expect.stringMatching(/./) }]);
        await lab.removeBroken?.(broken!.instance);
        await lab.settle(pool);
        const [other] = await membersOf();
        expect(other).toMatchObject({ tier, state: 'ready' });
        expect(other!.instance.id).not.toBe(broken!.instance.id);
      });

      it.each([-1, 0.5, Number.NaN])('refuses %d of a tier, and changes nothing', async (count) => {
        for (const tier of lab.tiers)
          for (const others of [none, { ...none, ...ofEach() }]) {
            const set = lab.standby.setStandby(pool, { counts: { ...others, [tier]: count } });
            await expect(set).rejects.toBeInstanceOf(Refused);
            expect(await lab.standby.readStandby(pool)).toBeUndefined();
          }
      });
    });

    describe('claiming them', () => {
      it('takes the fastest tier first, says which, then makes new ones and says why', async () => {
        await keep(ofEach());
        const parked = (await membersOf()).map(({ instance }) => instance.id);
        const claims = await lab.standby.claim(pool, lab.tiers.length + 1);
        const expected = STANDBY_TIERS.filter((tier) => lab.tiers.includes(tier));
        expect(claims.map(({ from }) => from)).toEqual([...expected, 'cold']);
        expect(claims.at(-1)?.why).toBeTruthy();
        const ids = claims.map(({ instance }) => instance.ref.id);
        expect(new Set(ids).size).toBe(claims.length);
        expect(parked.filter((id) => !ids.includes(id))).toEqual([]);
      });

      it('makes them instances of the pool that run, and are parked no more', async () => {
        const before = await instanceIds();
        const [tier] = lab.tiers;
        await keep({ [tier]: 1 });
        const [claim] = await lab.standby.claim(pool, 1);
        expect(await instanceIds()).toEqual([...before, claim!.instance.ref.id].sort());
        expect((await lab.pools.readPool(pool))?.capacity).toBe(before.length + 1);
        expect((await lab.pools.readInstance(claim!.instance.ref))?.power).toBe('running');
        expect((await membersOf()).map(({ instance }) => instance.id)).not.toContain(claim!.instance.ref.id);
      });

      it('fills the places again', async () => {
        const [tier] = lab.tiers;
        await keep({ [tier]: 1 });
        const [claim] = await lab.standby.claim(pool, 1);
        await lab.settle(pool);
        const members = await membersOf();
        expect(members).toMatchObject([{ tier, state: 'ready' }]);
        expect(members[0]!.instance.id).not.toBe(claim!.instance.ref.id);
      });

      it('makes a new one when the parked one cannot be used', async () => {
        const [tier] = lab.tiers;
        await keep({ [tier]: 1 });
        const [broken] = await membersOf();
        await lab.breakMember(broken!.instance);
        const [claim] = await lab.standby.claim(pool, 1);
        expect(claim).toMatchObject({ from: 'cold', why: expect.stringMatching(/./) });
        expect(claim!.instance.ref.id).not.toBe(broken!.instance.id);
      });

      it('makes new ones in a pool that keeps none', async () => {
        const before = await instanceIds();
        const claims = await lab.standby.claim(pool, 2);
        expect(claims.map(({ from }) => from)).toEqual(['cold', 'cold']);
        expect(await instanceIds()).toHaveLength(before.length + 2);
      });

      it.each([-1, 0, 0.5, Number.NaN])('refuses to claim %d, and changes nothing', async (count) => {
        const before = await instanceIds();
        await expect(lab.standby.claim(pool, count)).rejects.toBeInstanceOf(Refused);
        expect(await instanceIds()).toEqual(before);
        expect((await lab.pools.readPool(pool))?.capacity).toBe(before.length);
      });

      it('gives two commands different instances', async () => {
        const [tier] = lab.tiers;
        await keep({ [tier]: 2 });
        const claims = (await Promise.all([lab.standby.claim(pool, 1), lab.standby.claim(pool, 1)])).flat();
        expect(claims.map(({ from }) => from)).toEqual([tier, tier]);
        expect(new Set(claims.map(({ instance }) => instance.ref.id)).size).toBe(2);
      });
    });

    describe('deleting them', () => {
      it('leaves the instances in service, and succeeds when there are none', async () => {
        await keep(ofEach());
        const before = await instanceIds();
        for (const _ of [1, 2]) {
          await lab.standby.deleteStandby(pool);
          expect(await lab.standby.readStandby(pool)).toBeUndefined();
        }
        expect(await instanceIds()).toEqual(before);
      });
    });

    describe('of a pool that does not exist', () => {
      const calls: [string, (standby: Standby, gone: PoolRef) => Promise<unknown>][] = [
        ['readStandby', (standby, gone) => standby.readStandby(gone)],
        ['setStandby', (standby, gone) => standby.setStandby(gone, { counts: none })],
        ['deleteStandby', (standby, gone) => standby.deleteStandby(gone)],
        ['claim', (standby, gone) => standby.claim(gone, 1)],
      ];
      it.each(calls)('%s throws NotFound', async (_name, call) => {
        await expect(call(lab.standby, { ...pool, id: goneId(pool.id) })).rejects.toBeInstanceOf(NotFound);
      });
    });
  });
}

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { UserError } from '../../../base/errors.ts';
import { STANDBY_TIERS } from '../../standby.ts';
import { instanceFiles, instanceFolder } from '../home/layout.ts';
import { chooseMembers } from './claim.ts';
import type { JudgedMember } from './plan-refill.ts';
import { none, type StandbyWorld, standbyWorld } from './world.testing.ts';

describe('the instances that a claim takes', () => {
  const member = fc.record({
    tier: fc.constantFrom(...STANDBY_TIERS),
    verdict: fc.constantFrom('use' as const, 'refresh' as const, 'discard' as const),
  });

  it('are the fastest, and of a tier those that need no change, and of those the oldest', () => {
    fc.assert(
      fc.property(fc.array(member, { maxLength: 12 }), fc.integer({ min: -1, max: 12 }), (some, count) => {
        const members = some.map((one, at): JudgedMember => ({ ...one, id: String(at).padStart(3, '0'), why: '' }));
        const chosen = chooseMembers(members, count);
        const usable = members.filter(({ verdict }) => verdict !== 'discard');
        expect(chosen).toHaveLength(Math.min(Math.max(0, count), usable.length));
        const key = ({ tier, verdict, id }: JudgedMember) =>
          `${STANDBY_TIERS.indexOf(tier)} ${verdict === 'refresh'} ${id}`;
        expect(chosen.map(key)).toEqual(usable.map(key).sort().slice(0, Math.max(0, count)));
      }),
    );
  });
});

describe('a claim', () => {
  let world: StandbyWorld;
  afterEach(() => world.end());

  it('says why a slower tier was used, and why none was', async () => {
    world = await standbyWorld();
    const { standby } = world.provider;
    await standby.setStandby(world.pool, { counts: { ...none, frozen: 1, stopped: 1 } });
    await standby.fillStandby(world.pool);
    const frozen = (await standby.readStandby(world.pool))!.members.find(({ tier }) => tier === 'frozen')!;
    rmSync(join(instanceFolder(world.context.home, frozen.instance), instanceFiles.parked));
    const claims = await standby.claim(world.pool, 2);
    const why = `standby instances cannot be used: ${frozen.instance.id}: its record of being parked is missing or cannot be read`;
    expect(claims.map((one) => [one.from, one.why])).toEqual([
      ['stopped', why],
      ['cold', why],
    ]);
    // The pool is still empty: the command that was to refill it may have been killed.
    expect((await standby.claim(world.pool, 1))[0]?.from).toBe('cold');
    expect(world.refilled).toEqual(['web', 'web']);
    expect((await standby.claim(world.pool, 1, { leaveEmpty: true }))[0]?.from).toBe('cold');
    expect(world.refilled).toEqual(['web', 'web']);
  });

  /** The first of three frozen instances has a document of its own, and its guest does not apply it. */
  async function withOneThatFails() {
    world = await standbyWorld();
    const { pool, provider, context } = world;
    await provider.standby.setStandby(pool, { counts: { ...none, frozen: 3 } });
    await provider.standby.fillStandby(pool);
    await provider.pools.setUserData({ pool, id: 'web-000001' }, 'YQ==');
    const { talk } = context.agent;
    context.agent.talk = (folder, options, work) =>
      talk(folder, options, (ask) =>
        work(async (command, args) => {
          if (folder.endsWith('web-000001') && args?.path === 'headstart') throw new UserError('bad', { code: 'x' });
          return ask(command, args);
        }),
      );
    const waits: string[] = [];
    const claim = async (count: number) => {
      waits.length = 0;
      const options = { onWaiting: (what: string) => void waits.push(what) };
      return (await provider.standby.claim(pool, count, options)).map(({ instance }) => instance.ref.id);
    };
    const told = () => waits.filter((what) => what.includes('could not be finished'));
    const inService = async () => (await provider.pools.listInstances(pool)).map(({ ref }) => ref.id);
    return { claim, told, inService };
  }
  const reported = ['an instance that could not be finished, until the next command tries again: bad'];

  it('returns the other nodes, and reports one that could not be finished', async () => {
    const { claim, told, inService } = await withOneThatFails();
    expect(await claim(3)).toEqual(['web-000002', 'web-000003']);
    expect(told()).toEqual(reported);
    expect(await inService()).toEqual(['web-000001', 'web-000002', 'web-000003']);
  });

  it('returns a node also when one of an earlier claim still cannot be finished', async () => {
    const { claim, told, inService } = await withOneThatFails();
    await expect(world.provider.pools.start({ pool: world.pool, id: 'web-000001' })).rejects.toThrow('bad');
    expect(await claim(1)).toEqual(['web-000002']);
    expect(told()).toEqual(reported);
    expect(await claim(2)).toEqual(['web-000003', 'web-000004']);
    expect(told()).toEqual(reported);
    expect(await inService()).toEqual(['web-000001', 'web-000002', 'web-000003', 'web-000004']);
    await expect(world.provider.pools.setCapacity(world.pool, 4)).rejects.toThrow('bad');
  });

  it('fails if none could be finished, and takes no other in its place', async () => {
    const { claim, inService } = await withOneThatFails();
    for (const id of ['web-000002', 'web-000003']) await world.provider.pools.start({ pool: world.pool, id });
    await expect(claim(1)).rejects.toThrow('bad');
    expect(await inService()).toEqual(['web-000001', 'web-000002', 'web-000003']);
  });

  it('returns one that had to boot after those that did not', async () => {
    world = await standbyWorld();
    const { standby } = world.provider;
    await standby.setStandby(world.pool, { counts: { ...none, frozen: 1, stopped: 1 } });
    await standby.fillStandby(world.pool);
    const frozen = (await standby.readStandby(world.pool))!.members.find(({ tier }) => tier === 'frozen')!;
    writeFileSync(join(instanceFolder(world.context.home, frozen.instance), instanceFiles.memory), 'x');
    expect((await standby.claim(world.pool, 2)).map(({ from }) => from)).toEqual(['stopped', 'cold']);
  });
});

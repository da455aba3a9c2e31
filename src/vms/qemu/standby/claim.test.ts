import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
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

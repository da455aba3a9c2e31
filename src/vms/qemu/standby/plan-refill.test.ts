import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STANDBY_TIERS } from '../../standby.ts';
import { type JudgedMember, planRefill } from './plan-refill.ts';

const tier = fc.constantFrom(...STANDBY_TIERS);
const count = fc.integer({ min: 0, max: 5 });
const counts = fc.record({ paused: count, frozen: count, stopped: count });
const members = fc
  .array(fc.record({ tier, verdict: fc.constantFrom('use', 'refresh', 'discard'), why: fc.constant('') }), {
    maxLength: 15,
  })
  .map((all) => all.map((one, at) => ({ ...one, id: `m${at}` }) as JudgedMember));

describe('a refill plan', () => {
  it('ends with the number of each tier, all of them usable', () => {
    fc.assert(
      fc.property(members, counts, (all, wanted) => {
        const { discard, prepare } = planRefill(all, wanted);
        const gone = new Set(discard.map(({ id }) => id));
        const kept = all.filter(({ id }) => !gone.has(id));
        expect(kept.every(({ verdict }) => verdict !== 'discard')).toBe(true);
        for (const one of STANDBY_TIERS)
          expect(kept.filter((member) => member.tier === one).length + prepare.filter((t) => t === one).length).toBe(
            wanted[one],
          );
      }),
    );
  });

  it('discards no instance that it then prepares again', () => {
    fc.assert(
      fc.property(members, counts, (all, wanted) => {
        const { discard, prepare } = planRefill(all, wanted);
        const surplus = discard.filter(({ id }) => all.find((one) => one.id === id)!.verdict !== 'discard');
        for (const one of surplus) expect(prepare).not.toContain(one.tier);
      }),
    );
  });

  it('keeps up-to-date instances rather than those to refresh, and younger ones rather than older ones', () => {
    fc.assert(
      fc.property(members, counts, (all, wanted) => {
        const { discard, refresh } = planRefill(all, wanted);
        const gone = new Set(discard.map(({ id }) => id));
        for (const dropped of all.filter(({ id, verdict }) => gone.has(id) && verdict === 'use'))
          expect(refresh.some((one) => one.tier === dropped.tier)).toBe(false);
        for (const [at, older] of all.entries())
          for (const younger of all.slice(at + 1))
            if (older.tier === younger.tier && older.verdict === younger.verdict && gone.has(younger.id))
              expect(gone.has(older.id)).toBe(true);
      }),
    );
  });

  it('has nothing to do once it was followed, and replaces those to refresh one by one until all are up to date', () => {
    fc.assert(
      fc.property(members, counts, (all, wanted) => {
        let now = [...all];
        for (let round = 0; ; round++) {
          expect(round).toBeLessThan(60);
          const { discard, prepare, refresh } = planRefill(now, wanted);
          const [useless] = discard;
          const next = prepare[0] ?? refresh[0]?.tier;
          if (useless) now = now.filter(({ id }) => id !== useless.id);
          else if (next) now.push({ id: `n${round}`, tier: next, verdict: 'use', why: '' });
          else break;
        }
        expect(now.every(({ verdict }) => verdict === 'use')).toBe(true);
      }),
    );
  });

  it('does nothing for a pool that has what it keeps', () => {
    const all: JudgedMember[] = [{ id: 'a', tier: 'frozen', verdict: 'use', why: '' }];
    const plan = planRefill(all, { paused: 0, frozen: 1, stopped: 0 });
    expect(plan).toEqual({ discard: [], prepare: [], refresh: [] });
  });
});

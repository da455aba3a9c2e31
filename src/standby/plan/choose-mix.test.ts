import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StandbyCounts } from '../../vms/standby.ts';
import { mostLate } from './binomial.ts';
import { chooseMix } from './choose-mix.ts';
import { costOf } from './cost.ts';
import type { PlanQuestion } from './question.ts';
import { setStage } from './replay.ts';
import { allMixes, anyQuestion, naiveWaits } from './testing.ts';

const bounds = { mostReplayed: 1e6 };
const perHour = { paused: 9, frozen: 2, stopped: 1 };
/** Pairs of nodes, a minute apart. */
const pairs: PlanQuestion = {
  arrivalsMs: Array.from({ length: 200 }, (_, n) => Math.floor(n / 2) * 60_000),
  readyMs: { paused: [1000], frozen: [2000], stopped: [15_000], cold: [25_000] },
  refillMs: { paused: [20_000], frozen: [20_000], stopped: [20_000] },
  refillsAtOnce: 1,
  unit: { kind: 'money', currency: 'EUR', perHour },
  objective: { quantile: 0.95, withinMs: 10_000 },
  most: { paused: 4, frozen: 4, stopped: 4 },
};
const mix = (paused: number, frozen: number, stopped: number): StandbyCounts => ({ paused, frozen, stopped });

describe('chooseMix', () => {
  it('keeps two frozen nodes for pairs of arrivals', () => {
    const answer = chooseMix(pairs, bounds);
    expect(answer.verdict).toBe('chosen');
    expect(answer.chosen).toMatchObject({
      counts: mix(0, 2, 0),
      cost: { perHour: 4, perMonth: 2920 },
      objective: 'met',
      inTime: { share: 1, high: 1 },
      waitMs: { p50: 2000, p95: 2000, max: 2000 },
    });
    expect(answer.frontier.map(({ counts, surelyWithinMs }) => [counts, surelyWithinMs])).toEqual([
      [mix(0, 0, 0), 25_000],
      [mix(0, 0, 2), 15_000],
      [mix(0, 2, 0), 2000],
      [mix(2, 0, 0), 1000],
    ]);
    expect(answer.frontier.map(({ marginal }) => marginal?.perHourPerSecond)).toEqual([undefined, 0.2, 2 / 13, 14]);
    expect(answer.single.map(({ tier, mix: { counts, objective } }) => [tier, counts[tier], objective])).toEqual([
      ['paused', 2, 'met'],
      ['frozen', 2, 'met'],
      ['stopped', 2, 'missed'],
    ]);
  });

  it('finds the optimum that brute force with another simulator finds', () => {
    fc.assert(
      fc.property(anyQuestion, (question) => {
        const stage = setStage(question);
        const allowed = mostLate(stage.atMs.length, question.objective.quantile)!;
        const good = allMixes(question.most).filter((counts) => {
          const late = naiveWaits(stage, counts).filter((waitMs) => waitMs > question.objective.withinMs);
          return late.length <= allowed;
        });
        const costs = good.map((counts) => costOf(counts, question.unit).perHour!);
        const { chosen, verdict, isComplete } = chooseMix(question, bounds);
        expect(isComplete).toBe(true);
        expect(chosen?.cost.perHour).toEqual(good.length === 0 ? undefined : Math.min(...costs));
        expect(verdict === 'unreachable').toBe(good.length === 0);
        if (chosen) expect(good).toContainEqual(chosen.counts);
      }),
      { numRuns: 60 },
    );
  });

  it('chooses a mix that meets the objective, and lists no cheaper one that does', () => {
    fc.assert(
      fc.property(anyQuestion, (question) => {
        const { chosen, frontier, levels, single } = chooseMix(question, bounds);
        if (!chosen) return;
        expect(chosen.objective).toBe('met');
        const listed = [...frontier, ...levels.flatMap((level) => level.mix ?? []), ...single.map((one) => one.mix)];
        const cheaper = listed.filter(({ cost }) => cost.perHour! < chosen.cost.perHour!);
        expect(cheaper.filter(({ objective }) => objective === 'met')).toEqual([]);
      }),
    );
  });

  it('gives the same answer whatever the order of the arrivals', () => {
    fc.assert(
      fc.property(anyQuestion, (question) => {
        const turned = { ...question, arrivalsMs: question.arrivalsMs.toReversed() };
        expect(chooseMix(turned, bounds)).toEqual(chooseMix(question, bounds));
      }),
      { numRuns: 30 },
    );
  });

  it('keeps no nodes without arrivals, or if new nodes are fast enough', () => {
    expect(chooseMix({ ...pairs, arrivalsMs: [] }, bounds)).toMatchObject({
      verdict: 'none-needed',
      chosen: { counts: mix(0, 0, 0) },
    });
    expect(chooseMix({ ...pairs, objective: { quantile: 0.95, withinMs: 25_000 } }, bounds)).toMatchObject({
      verdict: 'none-needed',
      chosen: { counts: mix(0, 0, 0) },
    });
  });

  it('says nothing with 58 arrivals for 95 %, and something with 59', () => {
    const first = (count: number) => chooseMix({ ...pairs, arrivalsMs: pairs.arrivalsMs.slice(0, count) }, bounds);
    expect(first(58)).toMatchObject({ verdict: 'too-few-arrivals', fewestArrivals: 59, frontier: [] });
    expect(first(58).chosen).toBeUndefined();
    expect(first(59).verdict).toBe('chosen');
  });

  it('says that no mix meets what no tier can', () => {
    const answer = chooseMix({ ...pairs, objective: { quantile: 0.95, withinMs: 500 } }, bounds);
    expect(answer).toMatchObject({ verdict: 'unreachable', isComplete: true });
  });

  it('says when it ended before it had looked at every mix', () => {
    const answer = chooseMix(pairs, { mostReplayed: 300 });
    expect(answer).toMatchObject({ verdict: 'unknown', isComplete: false });
    expect(answer.mixes.examined).toBeLessThan(answer.mixes.all);
  });

  it('counts memory, then disk, if prices are unknown', () => {
    const gb = 1e9;
    const size = { memoryBytes: 0, diskBytes: 3 * gb };
    const sizes = { paused: { memoryBytes: 2 * gb, diskBytes: gb }, frozen: size, stopped: { ...size, diskBytes: gb } };
    const { chosen, frontier } = chooseMix({ ...pairs, unit: { kind: 'bytes', sizes } }, bounds);
    expect(chosen).toMatchObject({ counts: mix(0, 2, 0), cost: { memoryBytes: 0, diskBytes: 6 * gb, nodes: 2 } });
    expect(chosen!.cost).not.toHaveProperty('perHour');
    expect(frontier.at(-1)!.marginal).toEqual({ savedMs: 1000, memoryBytes: 4 * gb, diskBytes: -4 * gb });
  });

  it('leaves out a tier that was not measured', () => {
    const { paused, stopped, cold } = { ...pairs.readyMs };
    const { chosen, single } = chooseMix({ ...pairs, readyMs: { paused: paused!, stopped: stopped!, cold } }, bounds);
    expect(chosen!.counts).toEqual(mix(2, 0, 0));
    expect(single.map(({ tier }) => tier)).toEqual(['paused', 'stopped']);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlanQuestion } from './question.ts';
import { replay, replayWithin, setStage } from './replay.ts';
import { anyCounts, anyQuestion, naiveWaits } from './testing.ts';

const question: PlanQuestion = {
  arrivalsMs: [0, 5, 12, 21, 23],
  readyMs: { paused: [1], frozen: [2], cold: [30] },
  refillMs: { paused: [10], frozen: [10] },
  refillsAtOnce: 1,
  unit: { kind: 'nodes' },
  objective: { quantile: 0.5, withinMs: 5 },
  most: { paused: 2, frozen: 2, stopped: 0 },
};
const waitsWith = (paused: number, frozen: number, from: PlanQuestion = question) => [
  ...replay(setStage(from), { paused, frozen, stopped: 0 }),
];

describe('replay', () => {
  it('gives every arrival a new node if none is kept', () => {
    expect(waitsWith(0, 0)).toEqual([30, 30, 30, 30, 30]);
  });

  it('takes the fastest tier first, and refills it', () => {
    expect(waitsWith(1, 1, { ...question, arrivalsMs: [0, 0, 0, 15, 25] })).toEqual([1, 2, 30, 1, 2]);
  });

  it('waits as a simulator that looks at every millisecond', () => {
    fc.assert(
      fc.property(anyQuestion, anyCounts, (any, counts) => {
        const stage = setStage(any);
        expect([...replay(stage, counts)]).toEqual(naiveWaits(stage, counts));
      }),
    );
  });

  it('does not depend on the order in which arrivals or measurements are listed', () => {
    const reversed = (values: readonly number[] | undefined) => [...values!].reverse();
    fc.assert(
      fc.property(anyQuestion, anyCounts, (any, counts) => {
        const { readyMs, refillMs } = any;
        const turned: PlanQuestion = {
          ...any,
          arrivalsMs: reversed(any.arrivalsMs),
          readyMs: {
            paused: reversed(readyMs.paused),
            frozen: reversed(readyMs.frozen),
            stopped: reversed(readyMs.stopped),
            cold: reversed(readyMs.cold),
          },
          refillMs: {
            paused: reversed(refillMs.paused),
            frozen: reversed(refillMs.frozen),
            stopped: reversed(refillMs.stopped),
          },
        };
        expect(replay(setStage(turned), counts)).toEqual(replay(setStage(any), counts));
      }),
    );
  });

  it('serves at least as many arrivals from standby, up to any time, with one more node of an only tier', () => {
    fc.assert(
      fc.property(anyQuestion, fc.nat({ max: 4 }), (any, paused) => {
        const stage = setStage({ ...any, readyMs: { paused: [1], cold: [100] } });
        const servedBy = (count: number) => {
          let served = 0;
          return [...replay(stage, { paused: count, frozen: 0, stopped: 0 })].map((waitMs) => {
            if (waitMs < 100) served++;
            return served;
          });
        };
        const [fewer, more] = [servedBy(paused), servedBy(paused + 1)];
        expect(fewer.filter((served, n) => served > more[n]!)).toEqual([]);
      }),
    );
  });

  // Why the search does not skip mixes by assuming that more nodes are faster.
  it('can make one arrival wait longer with one more node: it was given to an earlier one', () => {
    expect(waitsWith(1, 0)).toEqual([1, 30, 1, 30, 1]);
    expect(waitsWith(2, 0)).toEqual([1, 1, 1, 1, 30]);
  });

  it('can serve fewer arrivals with one more node of a faster tier, whose refill holds up the others', () => {
    const slow = { ...question, arrivalsMs: [0, 20, 40, 60, 80], refillMs: { paused: [200], frozen: [10] } };
    expect(waitsWith(0, 1, slow)).toEqual([2, 2, 2, 2, 2]);
    expect(waitsWith(1, 1, slow)).toEqual([1, 2, 30, 30, 30]);
  });
});

describe('replayWithin', () => {
  it('gives up exactly when more arrivals are late than allowed', () => {
    fc.assert(
      fc.property(anyQuestion, anyCounts, fc.nat({ max: 40 }), fc.nat({ max: 40 }), (any, counts, lateMs, mostLate) => {
        const stage = setStage(any);
        const all = replay(stage, counts);
        const late = all.filter((waitMs) => waitMs >= lateMs).length;
        const { waits } = replayWithin(stage, counts, { lateMs, mostLate });
        expect(waits).toEqual(late > mostLate ? undefined : all);
      }),
    );
  });
});

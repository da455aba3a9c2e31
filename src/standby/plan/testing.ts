// standby/plan/testing.ts: any question for property tests, and a simulator that shares no code with the replay.
import fc from 'fast-check';
import { STANDBY_TIERS, type StandbyCounts } from '../../vms/standby.ts';
import type { PlanQuestion } from './question.ts';
import type { ReplayStage } from './replay.ts';

export const anyCounts = fc.record({
  paused: fc.nat({ max: 3 }),
  frozen: fc.nat({ max: 3 }),
  stopped: fc.nat({ max: 3 }),
});

const times = (max: number) => fc.array(fc.integer({ min: 1, max }), { minLength: 1, maxLength: 4 });

/** Small, in whole milliseconds, with bursts and with refills that overlap the arrivals. */
export const anyQuestion: fc.Arbitrary<PlanQuestion> = fc.record({
  arrivalsMs: fc.array(fc.nat({ max: 120 }), { minLength: 8, maxLength: 40 }),
  readyMs: fc.record({ paused: times(3), frozen: times(8), stopped: times(20), cold: times(40) }),
  refillMs: fc.record({ paused: times(40), frozen: times(40), stopped: times(40) }),
  refillsAtOnce: fc.integer({ min: 1, max: 3 }),
  unit: fc
    .record({ paused: fc.nat({ max: 9 }), frozen: fc.nat({ max: 9 }), stopped: fc.nat({ max: 9 }) })
    .map((perHour) => ({ kind: 'money' as const, currency: 'EUR', perHour })),
  objective: fc.record({
    quantile: fc.constantFrom(0.3, 0.5, 0.6),
    withinMs: fc.integer({ min: 1, max: 40 }),
  }),
  most: fc.constant({ paused: 2, frozen: 2, stopped: 2 }),
});

/** Looks at every millisecond, and at every node and every refill in it. */
export function naiveWaits(stage: ReplayStage, counts: StandbyCounts): number[] {
  const nodes = stage.tiers.flatMap((tier, at) =>
    Array.from({ length: counts[tier] }, () => ({ at, state: 'parked' })),
  );
  const running: { node: (typeof nodes)[number]; leftMs: number }[] = [];
  const waits: number[] = [];
  let refills = 0;
  const beginRefills = () => {
    for (const [at] of stage.tiers.entries())
      for (const node of nodes.filter((one) => one.at === at && one.state === 'gone'))
        if (running.length < stage.refillsAtOnce) {
          node.state = 'preparing';
          running.push({ node, leftMs: stage.refillMs[at]![refills++]! });
        }
  };
  for (let nowMs = 0; waits.length < stage.atMs.length; nowMs++) {
    for (const refill of [...running].filter(({ leftMs }) => leftMs <= 0)) {
      refill.node.state = 'parked';
      running.splice(running.indexOf(refill), 1);
    }
    beginRefills();
    while (stage.atMs[waits.length] === nowMs) {
      const node = nodes.filter(({ state }) => state === 'parked').sort((a, b) => a.at - b.at)[0];
      waits.push(node ? stage.readyMs[node.at]![waits.length]! : stage.coldMs[waits.length]!);
      if (node) node.state = 'gone';
      beginRefills();
    }
    for (const refill of running) refill.leftMs--;
  }
  return waits;
}

export function allMixes(most: StandbyCounts): StandbyCounts[] {
  return STANDBY_TIERS.reduce<StandbyCounts[]>(
    (mixes, tier) =>
      mixes.flatMap((mix) => Array.from({ length: most[tier] + 1 }, (_, count) => ({ ...mix, [tier]: count }))),
    [{ paused: 0, frozen: 0, stopped: 0 }],
  );
}

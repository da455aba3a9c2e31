// prototype/simulation/sweep.testing.ts: plays many seeds and tells a short story of what breaks a rule.

import { drawCase } from './draw-case.testing.ts';
import { play } from './play.testing.ts';
import { ruleOf, shrinkCase, tellStory } from './shrink.testing.ts';

export interface Sweep {
  schedules: number;
  events: number;
  /** Of the seeds that break a rule. */
  violations: { seed: number; violation: string }[];
  /** Of the first seed that breaks each rule. */
  stories: string[];
}

const MOST_STORIES = 5;

export async function sweepSeeds(first: number, last: number): Promise<Sweep> {
  const sweep: Sweep = { schedules: 0, events: 0, violations: [], stories: [] };
  const rules = new Set<string>();
  for (let seed = first; seed <= last; seed++) {
    const drawn = drawCase(seed);
    const { violations, events } = await play(drawn);
    sweep.schedules++;
    sweep.events += events;
    // Lets the test runner breathe: a schedule itself never waits for the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    const [violation] = violations;
    if (violation === undefined) continue;
    sweep.violations.push({ seed, violation });
    const rule = ruleOf(violation);
    if (rules.has(rule) || rules.size >= MOST_STORIES) continue;
    rules.add(rule);
    const small = await shrinkCase(drawn, rule);
    sweep.stories.push(`seed ${seed}\n${tellStory(await play(small))}`);
  }
  return sweep;
}

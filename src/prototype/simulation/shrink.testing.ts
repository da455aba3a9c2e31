// prototype/simulation/shrink.testing.ts: which smaller case still breaks the same rule, and how is it told in words?

import type { Action, Deed, When } from './actions.testing.ts';
import type { SimCase } from './draw-case.testing.ts';
import { type Perform, type Playing, play } from './play.testing.ts';
import { START_MS, type StoryLine } from './world.testing.ts';

const DAY_MS = 24 * 3_600_000;

/** The rule that a violation breaks, without names, versions and times. */
export function ruleOf(violation: string): string {
  return violation
    .split('\n')[0]!
    .replaceAll(/\b(run [A-Z]|rollback \d+|recover \d+|the next run)( again)?/g, 'a process')
    .replaceAll(/pool1-\d+/g, 'a node')
    .replaceAll(/\d+/g, '0')
    .replace(/ \(.*/, '');
}

/** Tries smaller cases until none of them breaks the rule any more. */
export async function shrinkCase(from: SimCase, rule: string, perform?: Perform): Promise<SimCase> {
  let best = from;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const smaller of smallerCases(best)) {
      const { violations } = await play(smaller, perform);
      if (!violations.some((violation) => ruleOf(violation) === rule)) continue;
      best = smaller;
      isSmaller = true;
      break;
    }
  }
  return best;
}

function* smallerCases(given: SimCase): Generator<SimCase> {
  const { actions, setup, command } = given;
  for (const action of actions) yield { ...given, actions: actions.filter((one) => one !== action) };
  if (setup.oldVersions > 0) yield { ...given, setup: { ...setup, oldVersions: setup.oldVersions - 1 } };
  if (setup.cordoned.length > 0) yield { ...given, setup: { ...setup, cordoned: [] } };
  if (setup.copyingMs > 0) yield { ...given, setup: { ...setup, copyingMs: 0 } };
  if (setup.startsMs > 0) yield { ...given, setup: { ...setup, startsMs: 0 } };
  if (!setup.hasZoneRedundancy) yield { ...given, setup: { ...setup, hasZoneRedundancy: true } };
  if (command.isReleased) yield { ...given, command: { ...command, isReleased: false } };
  for (const action of actions) {
    for (const simpler of simplerActions(action)) {
      yield { ...given, actions: actions.map((one) => (one === action ? simpler : one)) };
    }
  }
}

const ROUND_MS = [0, 1_000, 60_000, 16 * 60_000];

function* simplerActions({ when, deed }: Action): Generator<Action> {
  const atMs = 'atMs' in when ? when.atMs : when.plusMs;
  for (const ms of ROUND_MS) if (ms < atMs) yield { when: withTime(when, ms), deed };
  if ('forMs' in deed) {
    for (const ms of ROUND_MS) if (ms > 0 && ms < deed.forMs) yield { when, deed: { ...deed, forMs: ms } as Deed };
  }
}

function withTime(when: When, ms: number): When {
  return 'atMs' in when ? { atMs: ms } : { ...when, plusMs: ms };
}

/** `03:00:12 run A: cordon the donor` … `→ version 2026.11.15 was made from a disk that was not sealed`. */
export function tellStory({ story, violations }: Pick<Playing, 'story' | 'violations'>): string {
  return [...story.map(tellLine), ...violations.map((violation) => `→ ${violation}`)].join('\n');
}

function tellLine({ atMs, who, what }: StoryLine): string {
  const day = Math.floor(atMs / DAY_MS) - Math.floor(START_MS / DAY_MS) + 1;
  return `${day > 1 ? `day ${day} ` : ''}${new Date(atMs).toISOString().slice(11, 19)} ${who}: ${what}`;
}

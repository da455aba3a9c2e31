import { describe, expect, it } from 'vitest';
import { type DisruptionClass, NOTHING_OWNED, type Plan, type PlannedChange } from '../desired/tree.ts';
import type { UpdatePolicy } from '../document/config.ts';
import { aConfig } from '../document/configs.testing.ts';
import { isInWindow, judgePlan, type PolicyContext } from './policy.ts';

const { update } = aConfig();
const now: PolicyContext = { kubeletPhase: 'running', nowMs: Date.UTC(2026, 10, 16, 2, 30), isOrdered: false }; // a Monday

function aPlan(classes: readonly DisruptionClass[], over: Partial<Plan> = {}): Plan {
  const changes = classes.map(
    (level): PlannedChange => ({
      aspect: 'kubelet',
      what: `/etc/${level}`,
      op: 'update',
      class: level,
      why: 'so',
      isDrift: false,
      leaves: [],
      diff: { kind: 'hidden', because: 'secret' },
    }),
  );
  const ranked = [...classes].sort((a, b) => '0123456C7'.indexOf(`${b}`) - '0123456C7'.indexOf(`${a}`));
  return {
    changes,
    class: ranked[0] ?? 0,
    steps: classes.some((level) => level !== 'C') ? [{ do: 'daemon-reload' }] : [],
    problems: [],
    ownership: NOTHING_OWNED,
    ownershipMeanwhile: NOTHING_OWNED,
    kubeletConfig: {},
    ...over,
  };
}

const judge = (plan: Plan, policy: Partial<UpdatePolicy> = {}, at: Partial<PolicyContext> = {}) =>
  judgePlan(plan, { ...update, ...policy }, { ...now, ...at });

describe('a plan', () => {
  it.each<[string, Plan, Partial<UpdatePolicy>, Partial<PolicyContext>, string, string]>([
    ['without a change', aPlan([]), {}, {}, 'nothing', 'ok/nothing-to-do'],
    ['within what is allowed', aPlan([0, 2, 3]), {}, {}, 'go', 'apply/running'],
    ['above it', aPlan([2, 4]), {}, {}, 'blocked', 'plan/blocked-by-class'],
    ['above it, when a person says so', aPlan([2, 4]), {}, { isOrdered: true }, 'go', 'apply/running'],
    ['that takes another node', aPlan([7]), { maxClass: 6 }, {}, 'blocked', 'plan/needs-replacement'],
    [
      'that takes another node, whoever says so',
      aPlan([7]),
      {},
      { isOrdered: true },
      'blocked',
      'plan/needs-replacement',
    ],
    ['only for the control plane', aPlan(['C']), {}, {}, 'blocked', 'plan/needs-control-plane'],
    ['partly for the control plane', aPlan([2, 'C']), {}, {}, 'go', 'apply/running'],
    ['when a person is waited for', aPlan([1]), { mode: 'manual' }, {}, 'wait', 'plan/manual'],
    ['for the next boot', aPlan([1]), { mode: 'staged' }, {}, 'wait', 'plan/staged'],
    ['at the next boot', aPlan([1]), { mode: 'staged' }, { kubeletPhase: 'not-started' }, 'go', 'apply/running'],
    [
      'for a machine that never was a node',
      aPlan([1]),
      { mode: 'manual' },
      { kubeletPhase: 'never-ran' },
      'go',
      'apply/running',
    ],
    ['on trial', aPlan([1]), { mode: 'try' }, {}, 'go', 'apply/running'],
  ])('%s', (_what, plan, policy, at, decision, code) => {
    expect(judge(plan, policy, at)).toMatchObject({ decision, code });
  });

  it('is blocked by its problems before anything else, and says the first of them', () => {
    const problem = { reason: 'plan/obstructed', path: '/etc/x', message: 'there is a folder in its place' } as const;
    expect(judge(aPlan([7], { problems: [problem, problem] }), {}, { isOrdered: true })).toEqual({
      decision: 'blocked',
      code: 'plan/obstructed',
      reason: '/etc/x: there is a folder in its place, and 1 more',
    });
  });

  it('over drift waits for somebody to decide, unless it is to be repaired', () => {
    const plan = aPlan([0]);
    const drifted = { ...plan, changes: plan.changes.map((change) => ({ ...change, isDrift: true })) };
    expect(judge(drifted)).toMatchObject({ decision: 'blocked', code: 'plan/drift' });
    expect(judge(drifted, { onDrift: 'repair' })).toMatchObject({ decision: 'go' });
    expect(judge(drifted, {}, { isOrdered: true })).toMatchObject({ decision: 'go' });
  });

  it('that is blocked names the settings, their class and what is allowed', () => {
    const plan = aPlan([4]);
    const leaf = { path: 'maxPods', class: 4, why: '' } as const;
    const changes = plan.changes.map((change) => ({
      ...change,
      leaves: [leaf, { ...leaf, path: 'v', class: 2 as const }],
    }));
    expect(judge({ ...plan, changes }).reason).toBe(
      'class 4 (drain): maxPods; the policy allows class 3 (runtime-restart)',
    );
  });
});

describe('the window', () => {
  const monday = { days: ['Mon'], startMinute: 120, durationMs: 3_600_000 } as const;
  const night = { days: ['Sun'], startMinute: 23 * 60, durationMs: 4 * 3_600_000 } as const;

  it.each<[boolean, NonNullable<UpdatePolicy['window']>, number]>([
    [true, monday, Date.UTC(2026, 10, 16, 2, 0)],
    [true, monday, Date.UTC(2026, 10, 16, 2, 59, 59, 999)],
    [false, monday, Date.UTC(2026, 10, 16, 3, 0)],
    [false, monday, Date.UTC(2026, 10, 16, 1, 59, 59)],
    [false, monday, Date.UTC(2026, 10, 17, 2, 30)],
    [true, night, Date.UTC(2026, 10, 16, 2, 30)],
    [false, night, Date.UTC(2026, 10, 17, 2, 30)],
  ])('is open: %s', (isOpen, window, nowMs) => {
    expect(isInWindow(window, nowMs)).toBe(isOpen);
    expect(judge(aPlan([1]), { window }, { nowMs }).decision).toBe(isOpen ? 'go' : 'wait');
  });
});

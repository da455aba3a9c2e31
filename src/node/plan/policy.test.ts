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
    ['without changes has nothing to do', aPlan([]), {}, {}, 'nothing', 'ok/nothing-to-do'],
    ['within maxDisruption is applied', aPlan([0, 2, 3]), {}, {}, 'go', 'apply/running'],
    ['above maxDisruption is blocked', aPlan([2, 4]), {}, {}, 'blocked', 'plan/blocked-by-class'],
    ['above maxDisruption is applied on a command', aPlan([2, 4]), {}, { isOrdered: true }, 'go', 'apply/running'],
    ['that needs another node is blocked', aPlan([7]), { maxClass: 6 }, {}, 'blocked', 'plan/needs-replacement'],
    [
      'that needs another node is blocked even on a command',
      aPlan([7]),
      {},
      { isOrdered: true },
      'blocked',
      'plan/needs-replacement',
    ],
    ['with only control-plane changes is blocked', aPlan(['C']), {}, {}, 'blocked', 'plan/needs-control-plane'],
    ['with some control-plane changes is applied', aPlan([2, 'C']), {}, {}, 'go', 'apply/running'],
    ['in mode manual waits', aPlan([1]), { mode: 'manual' }, {}, 'wait', 'plan/manual'],
    ['in mode staged waits for the next boot', aPlan([1]), { mode: 'staged' }, {}, 'wait', 'plan/staged'],
    [
      'in mode staged is applied after a boot',
      aPlan([1]),
      { mode: 'staged' },
      { kubeletPhase: 'not-started' },
      'go',
      'apply/running',
    ],
    [
      'for a first boot is applied in any mode',
      aPlan([1]),
      { mode: 'manual' },
      { kubeletPhase: 'never-ran' },
      'go',
      'apply/running',
    ],
    ['in mode try is applied', aPlan([1]), { mode: 'try' }, {}, 'go', 'apply/running'],
  ])('%s', (_what, plan, policy, at, decision, code) => {
    expect(judge(plan, policy, at)).toMatchObject({ decision, code });
  });

  it('is blocked by problems first, and reports the first problem', () => {
    const problem = {
      reason: 'plan/obstructed',
      path: '/etc/x',
      message: 'is a folder and cannot be replaced',
    } as const;
    expect(judge(aPlan([7], { problems: [problem, problem] }), {}, { isOrdered: true })).toEqual({
      decision: 'blocked',
      code: 'plan/obstructed',
      reason: '/etc/x: is a folder and cannot be replaced, and 1 more',
    });
  });

  it('with drift is blocked, unless onDrift is repair', () => {
    const plan = aPlan([0]);
    const drifted = { ...plan, changes: plan.changes.map((change) => ({ ...change, isDrift: true })) };
    expect(judge(drifted)).toMatchObject({ decision: 'blocked', code: 'plan/drift' });
    expect(judge(drifted, { onDrift: 'repair' })).toMatchObject({ decision: 'go' });
    expect(judge(drifted, {}, { isOrdered: true })).toMatchObject({ decision: 'go' });
  });

  it('that is blocked reports the settings, their class and the allowed class', () => {
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

describe('isInWindow', () => {
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
  ])('returns %s', (isOpen, window, nowMs) => {
    expect(isInWindow(window, nowMs)).toBe(isOpen);
    expect(judge(aPlan([1]), { window }, { nowMs }).decision).toBe(isOpen ? 'go' : 'wait');
  });
});

import { describe, expect, it } from 'vitest';
import {
  type DesiredState,
  type LiveId,
  type LiveKind,
  NOTHING_OWNED,
  type ObservedState,
  type Ownership,
} from '../desired/tree.ts';
import { planLive } from './live.ts';
import { anObservation } from './plans.testing.ts';
import type { UnitOutlook } from './units.ts';

const parts = (id: LiveId) => [id.slice(0, id.indexOf(' ')) as LiveKind, id.slice(id.indexOf(' ') + 1)] as const;
function wanting(values: Partial<Record<LiveId, string>>): DesiredState {
  const live = Object.entries(values).map(([id, value]) => {
    const [kind, key] = parts(id as LiveId);
    return [id as LiveId, { kind, key, value: value!, aspect: 'sysctl' as const }] as const;
  });
  return { files: new Map(), live: new Map(live), kubeletRoot: '/var/lib/kubelet', problems: [] };
}
const owning = (values: Partial<Record<LiveId, string | undefined>>): Ownership => ({
  ...NOTHING_OWNED,
  live: new Map(
    Object.entries(values).map(([id, original]) => [id as LiveId, { value: 'ours', original, aspect: 'sysctl' }]),
  ),
});
const seeing = (values: Partial<Record<LiveId, string>>, over: Partial<ObservedState> = {}) =>
  anObservation({ live: new Map(Object.entries(values) as [LiveId, string][]), ...over });
const UNITS: UnitOutlook = { exists: (unit) => unit !== 'none.service', isAboutToBeMasked: () => false, orphans: [] };
const planned = (desired: DesiredState, observed: ObservedState, ownership = NOTHING_OWNED, units = UNITS) =>
  planLive(desired, observed, ownership, units);
const steps = (plan: ReturnType<typeof planned>) => plan.changes.map(({ step }) => step);

describe('a desired value', () => {
  it('is set if it differs, and the original is saved', () => {
    const plan = planned(wanting({ 'sysctl a': '2', 'sysctl b': '2' }), seeing({ 'sysctl a': '1', 'sysctl b': '2' }));
    expect(steps(plan)).toEqual([{ do: 'set', kind: 'sysctl', key: 'a', value: '2' }]);
    expect([...plan.owned.values()].map(({ original }) => original)).toEqual(['1', '2']);
  });

  it('keeps the original value, not our last value', () => {
    const plan = planned(wanting({ 'sysctl a': '3' }), seeing({ 'sysctl a': '2' }), owning({ 'sysctl a': '1' }));
    expect(plan.owned.get('sysctl a')?.original).toBe('1');
  });

  it('is not planned while the Node cannot be read or kubelet has no credential', () => {
    const wants = wanting({ 'label tier': 'a', 'kubeconfig ': 'https://x' });
    expect(steps(planned(wants, seeing({}, { hasCredential: false })))).toEqual([]);
    expect(steps(planned(wants, seeing({}, { isNodeKnown: true })))).toHaveLength(2);
  });

  it('has no step if only the control plane may apply it', () => {
    const plan = planned(wanting({ 'taint k:NoSchedule': 'v' }), seeing({}, { isNodeKnown: true }));
    expect(plan.changes).toMatchObject([{ step: undefined, change: { class: 'C' } }]);
  });
});

describe('a unit', () => {
  it.each([
    ['is off and should be off', 'no', undefined, 0],
    ['is a finished oneshot', 'yes', 'done', 0],
    ['cannot be enabled', 'yes', 'fixed', 0],
    ['is off and should run', 'yes', 'no', 1],
  ])('that %s gives the expected number of changes', (_, value, seen, count) => {
    const observed = seeing(seen === undefined ? {} : { 'unit-active a.service': seen });
    expect(planned(wanting({ 'unit-active a.service': value }), observed).changes).toHaveLength(count);
  });

  it('that does not exist cannot be started and counts as off', () => {
    const [problem] = planned(wanting({ 'unit-enabled none.service': 'yes' }), seeing({})).problems;
    expect(problem?.reason).toBe('config/invalid');
    expect(problem?.path).toContain('none.service');
    expect(planned(wanting({ 'unit-enabled none.service': 'no' }), seeing({})).problems).toEqual([]);
  });

  it('that leaves the document is restored once it is no longer masked', () => {
    const ownership = owning({ 'unit-enabled a.service': 'yes' });
    const observed = seeing({ 'unit-enabled a.service': 'no' });
    expect(steps(planned(wanting({}), observed, ownership))).toEqual([
      { do: 'set', kind: 'unit-enabled', key: 'a.service', value: 'yes' },
    ]);
    const masked = planned(wanting({}), observed, ownership, { ...UNITS, exists: () => false });
    expect([steps(masked), masked.owned.has('unit-enabled a.service')]).toEqual([[], true]);
  });
});

describe('a value that leaves the document', () => {
  it.each<[LiveId, string | undefined, object[]]>([
    ['sysctl a', '1', [{ do: 'set', kind: 'sysctl', key: 'a', value: '1' }]],
    ['sysctl a', undefined, []],
    ['module a', undefined, []],
    ['kubeconfig ', 'https://x', []],
    ['firewall t', undefined, [{ do: 'clear', kind: 'firewall', key: 't' }]],
    ['swap /a', undefined, [{ do: 'clear', kind: 'swap', key: '/a' }]],
  ])('%s with the original %j is restored or left', (id, original, expected) => {
    expect(steps(planned(wanting({}), seeing({ [id]: 'ours' }), owning({ [id]: original })))).toEqual(expected);
  });

  it('is not changed if it is already gone', () => {
    expect(steps(planned(wanting({}), seeing({}), owning({ 'firewall t': undefined })))).toEqual([]);
  });

  it('is removed if it is a swap file, even if swap is off since the boot', () => {
    const file = { kind: 'file', mode: 0o600, uid: 0, gid: 0, content: '', encoding: 'utf8' } as const;
    const observed = seeing({}, { files: new Map([['/swap', file]]) });
    expect(steps(planned(wanting({}), observed, owning({ 'swap /swap': undefined })))).toEqual([
      { do: 'clear', kind: 'swap', key: '/swap' },
    ]);
  });

  it('stays owned while it cannot be read', () => {
    const plan = planned(wanting({}), seeing({}), owning({ 'label tier': undefined }));
    expect([steps(plan), plan.owned.has('label tier')]).toEqual([[], true]);
  });
});

describe('a swap file', () => {
  const file = { kind: 'file', mode: 0o600, uid: 0, gid: 0, content: '', encoding: 'utf8' } as const;
  const observed = seeing({}, { files: new Map([['/swap', file]]) });

  it('does not replace an existing file', () => {
    const plan = planned(wanting({ 'swap /swap': '4096' }), observed);
    expect(plan.problems).toMatchObject([{ reason: 'plan/obstructed', path: '/swap' }]);
    expect(planned(wanting({ 'swap /swap': '4096' }), observed, owning({ 'swap /swap': undefined })).problems).toEqual(
      [],
    );
  });
});

describe('before kubelet runs', () => {
  it('a value of class 4 is applied live', () => {
    const levels = (['running', 'not-started', 'never-ran'] as const).map(
      (kubeletPhase) => planned(wanting({ 'swap /s': '1' }), seeing({}, { kubeletPhase })).changes[0]?.change.class,
    );
    expect(levels).toEqual([4, 1, 1]);
  });
});

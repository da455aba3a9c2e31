import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRecord, bootRecord, managerTimes, span, unit } from '../testing.ts';
import { parseBudget } from './budget.ts';
import { checkBootBudget } from './check-budget.ts';

const record = bootRecord({
  manager: managerTimes({ userspaceUs: 2_000_000, finishUs: 12_000_000 }),
  units: [
    unit('cloud-init.service', 3, 4.5),
    unit('broken.service', 3, 0.5, [], { activeState: 'failed' }),
    unit('starting.service', 3, 0, [], { activatedUs: 0 }),
    unit('skipped.service', 0, 0, [], { conditionFailed: true }),
    unit('kubelet.service', 8, 0, [], { serviceType: 'simple' }),
  ],
  spans: [span('cloud-init:modules-final', 8, 11)],
  milestones: [{ name: 'node-ready', atUs: 30_000_000, source: 'cluster' }],
});
const verdictOf = (document: unknown) => checkBootBudget(record, parseBudget(document, 'budget.yaml'))[0]!;

describe('checkBootBudget', () => {
  it.each([
    [{ total: '30s' }, 'ok', 30_000_000],
    [{ kernel: '2s' }, 'ok', 2_000_000],
    [{ userspace: '9s' }, 'exceeded', 10_000_000],
    [{ 'cloud-init.service': '4s' }, 'exceeded', 4_500_000],
    [{ 'node-ready': '29s' }, 'exceeded', 30_000_000],
    [{ total: '29.999s' }, 'exceeded', 30_000_000],
    [{ phases: { kernel: '2s' } }, 'ok', 2_000_000],
    [{ phases: { userspace: '9s' } }, 'exceeded', 10_000_000],
    [{ phases: { initrd: '9s' } }, 'unknown', undefined],
    [{ units: { 'cloud-init.service': '5s' } }, 'ok', 4_500_000],
    [{ units: { 'cloud-init.service': 4 } }, 'exceeded', 4_500_000],
    [{ milestones: { 'node-ready': '40s' } }, 'ok', 30_000_000],
    [{ milestones: { 'node-ready': '20s' } }, 'exceeded', 30_000_000],
    [{ milestones: { 'node-registered': '20s' } }, 'unknown', undefined],
    [{ spans: { 'cloud-init:modules-final': '2s' } }, 'exceeded', 3_000_000],
    [{ spans: { 'cloud-init:modules-fin': '2s' } }, 'unknown', undefined],
  ] as const)('%j is %s', (document, verdict, actualUs) => {
    expect(verdictOf(document)).toMatchObject({ verdict, ...(actualUs !== undefined && { actualUs }) });
  });

  it('does not pass a unit that failed, did not run, is still starting or does not exist', () => {
    for (const name of ['broken.service', 'starting.service', 'skipped.service', 'absent.service']) {
      expect([name, verdictOf({ units: { [name]: '5s' } }).verdict]).toEqual([name, 'unknown']);
    }
    expect(verdictOf({ units: { 'cloud-init.servce': '5s' } }).detail).toContain('did you mean cloud-init.service');
  });

  it('edge case 37: notes that a Type=simple unit is active at once, even if it is slow', () => {
    expect(verdictOf({ units: { 'kubelet.service': '1s' } })).toMatchObject({
      verdict: 'ok',
      detail: expect.stringContaining('Type=simple'),
    });
  });

  it('can fail but not pass a limit if the record begins in userspace', () => {
    const pasted = bootRecord({ clock: { zero: 'userspace' }, units: [unit('multi-user.target', 20, 0)] });
    const verdict = (total: string) => checkBootBudget(pasted, parseBudget({ total }, 'b'))[0]!.verdict;
    expect([verdict('30s'), verdict('10s')]).toEqual(['unknown', 'exceeded']);
  });

  it('returns one result per limit, for any boot', () => {
    const budget = parseBudget(
      { total: 1, phases: { kernel: 1 }, units: { 'u1.service': 1 }, milestones: { 'node-ready': 1 }, spans: { x: 1 } },
      'b',
    );
    fc.assert(fc.property(anyRecord, (any) => void expect(checkBootBudget(any, budget)).toHaveLength(5)));
  });
});

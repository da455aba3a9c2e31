import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BootRecord } from '../../model/record.ts';
import { anyRecord, bootRecord, managerTimes, unit } from '../../testing.ts';
import { checkBaseline, describeRule, fewBoots } from './check-baseline.ts';

const RULE = { margin: 0.1, thresholdUs: 500_000 };

/** Startup ends at 10 s + `appS`. */
const boot = (appS: number, more: Partial<BootRecord> = {}) =>
  bootRecord({
    manager: managerTimes({ userspaceUs: 2e6, finishUs: (10 + appS) * 1e6 }),
    units: [unit('app.service', 10, appS)],
    ...more,
  });
const rowOf = (path: string, record: BootRecord, baseline: BootRecord[]) =>
  checkBaseline(record, baseline, RULE).find((row) => row.path === path);

describe('checkBaseline', () => {
  it('names the total, phases, milestones and units, each with its spread', () => {
    const rows = checkBaseline(boot(5), [boot(4), boot(6)], RULE);
    expect(rows.map(({ path }) => path)).toEqual([
      'total',
      'phases.kernel',
      'phases.userspace',
      'milestones.userspace',
      'milestones.startup-finished',
      'units.app.service',
    ]);
    expect(rows[0]).toEqual({
      path: 'total',
      limitUs: 17.6e6,
      actualUs: 15e6,
      verdict: 'ok',
      detail: 'until startup-finished',
      baseline: { boots: 2, fastestUs: 14e6, slowestUs: 16e6 },
    });
  });

  it.each([
    [6, 'ok'],
    [6.6, 'ok'],
    [6.7, 'exceeded'],
  ])('a unit of %d s is %s if the slowest took 6 s', (appS, verdict) => {
    expect(rowOf('units.app.service', boot(appS), [boot(4), boot(6)])?.verdict).toBe(verdict);
  });

  it('does not fail a short unit that is slower by less than the threshold', () => {
    expect(rowOf('units.app.service', boot(0.5), [boot(0.1)])).toMatchObject({ verdict: 'ok', limitUs: 600_000 });
  });

  it('shows long units that are new or gone as unknown, and leaves short ones out', () => {
    const without = boot(5, { units: [] });
    expect(rowOf('units.app.service', without, [boot(5)])).toMatchObject({
      verdict: 'unknown',
      detail: 'not in this boot',
    });
    expect(rowOf('units.app.service', boot(5), [without])).toMatchObject({
      verdict: 'unknown',
      detail: 'no baseline boot has a comparable value',
    });
    expect(rowOf('units.app.service', boot(0.4, { units: [] }), [boot(0.4)])).toBeUndefined();
  });

  it('does not compare a boot until startup with baseline boots until Ready', () => {
    const ready = boot(5, { milestones: [{ name: 'node-ready', atUs: 30e6, source: 'cluster' }] });
    expect(rowOf('total', boot(5), [ready])).toMatchObject({ verdict: 'unknown', detail: 'not in this boot' });
    expect(rowOf('total', ready, [boot(5)])).toMatchObject({ verdict: 'ok', actualUs: 15e6 });
  });

  it('compares instants only between records that count from the same event', () => {
    const pasted = bootRecord({ clock: { zero: 'userspace' }, units: [unit('multi-user.target', 20, 0)] });
    expect(rowOf('total', pasted, [pasted])).toMatchObject({ verdict: 'ok', detail: 'counted from userspace' });
    expect(rowOf('milestones.startup-finished', boot(5), [pasted])?.verdict).toBe('unknown');
  });

  it('does not take an incomplete value of a baseline boot as a limit', () => {
    const failed = boot(9, { units: [unit('app.service', 10, 9, [], { activeState: 'failed' })] });
    expect(rowOf('units.app.service', boot(5), [failed, boot(2)])).toMatchObject({
      verdict: 'unknown',
      limitUs: 2.5e6,
      detail: expect.stringContaining('took at least 9s'),
    });
    expect(rowOf('units.app.service', boot(12), [failed, boot(2)])).toMatchObject({
      verdict: 'exceeded',
      detail: 'known of 1 of 2 baseline boots',
    });
    expect(rowOf('units.app.service', failed, [boot(9)])?.verdict).toBe('unknown');
  });

  it('never finds a boot slower than a baseline that contains it', () => {
    fc.assert(
      fc.property(anyRecord, fc.array(anyRecord, { maxLength: 3 }), (record, others) => {
        const rows = checkBaseline(record, [record, ...others], RULE);
        expect(rows.filter(({ verdict }) => verdict === 'exceeded')).toEqual([]);
        expect(new Set(rows.map(({ path }) => path)).size).toBe(rows.length);
      }),
    );
  });
});

it('states the rule, and that few boots say little', () => {
  expect(describeRule(RULE, 3)).toBe(
    'Rule: exceeded = slower than the slowest of 3 baseline boots by more than 10% and more than 500ms.',
  );
  expect(describeRule(RULE, 1)).toContain('the one baseline boot by');
  expect(fewBoots(2)).toContain('1 boot in 3 is slower than both');
  expect(fewBoots(5)).toBeUndefined();
});

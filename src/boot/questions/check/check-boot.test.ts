import { describe, expect, it } from 'vitest';
import { bootRecord, caught, managerTimes, unit } from '../../testing.ts';
import { checkBoot } from './check-boot.ts';

const boot = (id: string, appS: number, names = ['app.service']) =>
  bootRecord({
    bootId: id.repeat(32),
    manager: managerTimes({ userspaceUs: 2e6, finishUs: (10 + appS) * 1e6 }),
    units: names.map((name) => unit(name, 10, appS)),
  });
const rule = { margin: 0.1, thresholdUs: 500_000 };
const against = (...boots: ReturnType<typeof boot>[]) => ({ against: { boots, rule }, allowMissing: false });

describe('checkBoot', () => {
  it('fails a boot that is slower than its baseline, and passes one that is not', () => {
    expect(checkBoot(boot('a', 20), against(boot('b', 5))).isWithin).toBe(false);
    expect(checkBoot(boot('a', 5), against(boot('b', 5))).isWithin).toBe(true);
  });

  it('judges by the budget and the baseline, each in separate rows', () => {
    const { checks, isWithin } = checkBoot(boot('a', 5), { ...against(boot('b', 5)), budget: { total: 1e6 } });
    expect(checks.filter(({ path }) => path === 'total').map(({ by, verdict }) => [by, verdict])).toEqual([
      ['budget', 'exceeded'],
      ['baseline', 'ok'],
    ]);
    expect(isWithin).toBe(false);
  });

  it('shows new and gone units without failing the check, and fails for a phase that is unknown', () => {
    const { checks, isWithin } = checkBoot(boot('a', 5, ['new.service']), against(boot('b', 5)));
    expect(checks.filter((row) => row.verdict === 'unknown').map(({ path, isFailure }) => [path, isFailure])).toEqual([
      ['units.new.service', false],
      ['units.app.service', false],
    ]);
    expect(isWithin).toBe(true);
    const { manager: _, ...rest } = boot('a', 5);
    expect(checkBoot(rest, against(boot('b', 5))).isWithin).toBe(false);
    expect(checkBoot(rest, { ...against(boot('b', 5)), allowMissing: true }).isWithin).toBe(true);
  });

  it('does not compare a boot with itself', () => {
    const { baseline, notes } = checkBoot(boot('a', 5), against(boot('a', 5), boot('b', 4)));
    expect(baseline?.boots).toBe(1);
    expect(notes[0]).toContain('not compared with itself');
    expect(caught(() => checkBoot(boot('a', 5), against(boot('a', 5)))).code).toBe('boot/no-baseline');
  });
});

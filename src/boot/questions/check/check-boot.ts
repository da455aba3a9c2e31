// boot/questions/check/check-boot.ts: does a boot pass: its budget, a baseline, or both?
import { UserError } from '../../../base/errors.ts';
import type { BootRecord } from '../../model/record.ts';
import type { Budget } from '../budget.ts';
import { type BudgetCheck, checkBootBudget } from '../check-budget.ts';
import { type BaselineCheck, type BaselineRule, checkBaseline, describeRule, fewBoots } from './check-baseline.ts';

export interface CheckRow extends Omit<BudgetCheck, 'limitUs'>, Omit<BaselineCheck, 'path' | 'verdict'> {
  by: 'budget' | 'baseline';
  /** This row alone makes the check fail. */
  isFailure: boolean;
}

export interface BootCheck {
  isWithin: boolean;
  checks: CheckRow[];
  /** How the baseline decided. */
  baseline?: BaselineRule & { boots: number; rule: string };
  notes: string[];
}

export interface CheckBootOptions {
  budget?: Budget | undefined;
  against?: { boots: readonly BootRecord[]; rule: BaselineRule } | undefined;
  /** An unknown value does not fail the check. */
  allowMissing: boolean;
}

export function checkBoot(record: BootRecord, { budget, against, allowMissing }: CheckBootOptions): BootCheck {
  const fails = ({ verdict }: BudgetCheck | BaselineCheck) =>
    verdict === 'exceeded' || (verdict === 'unknown' && !allowMissing);
  const checks: CheckRow[] = [];
  for (const check of budget ? checkBootBudget(record, budget) : [])
    checks.push({ ...check, by: 'budget', isFailure: fails(check) });
  if (!against) return { isWithin: !checks.some(({ isFailure }) => isFailure), checks, notes: [] };

  const { boots, isAmongThem } = withoutItself(record, against.boots);
  for (const check of checkBaseline(record, boots, against.rule)) {
    // The user did not name these units: one that is new or gone is shown, and the total says whether it cost time.
    const isNamedByNone = check.verdict === 'unknown' && check.path.startsWith('units.');
    checks.push({ ...check, by: 'baseline', isFailure: !isNamedByNone && fails(check) });
  }
  const few = fewBoots(boots.length);
  return {
    isWithin: !checks.some(({ isFailure }) => isFailure),
    checks,
    baseline: { ...against.rule, boots: boots.length, rule: describeRule(against.rule, boots.length) },
    notes: [
      ...(isAmongThem ? ['the checked boot is in the baseline too and is not compared with itself'] : []),
      ...(few === undefined ? [] : [few]),
    ],
  };
}

function withoutItself(
  record: BootRecord,
  baseline: readonly BootRecord[],
): { boots: BootRecord[]; isAmongThem: boolean } {
  const boots = baseline.filter(({ bootId }) => bootId === undefined || bootId !== record.bootId);
  if (boots.length === 0)
    throw new UserError('the baseline has no boot other than the checked one', {
      code: 'boot/no-baseline',
      next: 'name recorded boots with --against: bundles, records, or a folder of them',
    });
  return { boots, isAmongThem: boots.length < baseline.length };
}

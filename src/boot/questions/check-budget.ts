// boot/questions/check-budget.ts: did the boot stay within its limits? A limit on something unknown is never `ok`.
import { didYouMean } from '../../base/nearest-names.ts';
import { namedUnit } from '../model/default-target.ts';
import { milestonesOf } from '../model/milestones.ts';
import type { BootRecord } from '../model/record.ts';
import { endsOf } from '../model/total.ts';
import type { Budget } from './budget.ts';
import {
  type CheckVerdict,
  type MeasuredTime,
  measurePhases,
  measureUnit,
  sinceStart,
  spansById,
  verdictOf,
} from './check/measured-time.ts';

export interface BudgetCheck {
  /** Path of the limit in the budget: `units.cloud-init.service`. */
  path: string;
  limitUs: number;
  actualUs?: number;
  verdict: CheckVerdict;
  /** Why the verdict is unknown, or a limitation of the number. */
  detail?: string;
}

/** One result per limit, in the budget's order. */
export function checkBootBudget(record: BootRecord, budget: Budget): BudgetCheck[] {
  const spans = spansById(record);
  const byPhase = measurePhases(record);
  const instants = new Map(milestonesOf(record).map(({ name, atUs }) => [name as string, atUs]));
  const unitNames = record.units.map((unit) => unit.name);
  const checks: BudgetCheck[] = [];
  if (budget.total !== undefined) {
    const [end] = endsOf(record);
    checks.push(
      judge('total', budget.total, end && sinceStart(record, end[1], `until ${end[0]}`), 'no end of the boot is known'),
    );
  }
  for (const [name, limitUs] of Object.entries(budget.phases ?? {})) {
    checks.push(judge(`phases.${name}`, limitUs, byPhase.get(name), 'the boot record does not have this phase'));
  }
  for (const [name, limitUs] of Object.entries(budget.units ?? {})) {
    const unit = namedUnit(record, name);
    const missing = `no such unit in this boot${didYouMean(name, unitNames)}`;
    checks.push(judge(`units.${name}`, limitUs, unit && measureUnit(unit, spans), missing));
  }
  for (const [name, limitUs] of Object.entries(budget.milestones ?? {})) {
    const atUs = instants.get(name);
    const seen = atUs === undefined ? undefined : sinceStart(record, atUs);
    checks.push(judge(`milestones.${name}`, limitUs, seen, 'the boot record does not have this milestone'));
  }
  for (const [id, limitUs] of Object.entries(budget.spans ?? {})) {
    const span = spans.get(id);
    const missing = `no such span in this boot${didYouMean(id, spans.keys())}`;
    checks.push(judge(`spans.${id}`, limitUs, span && { us: span.endUs - span.startUs }, missing));
  }
  return checks;
}

function judge(path: string, limitUs: number, seen: MeasuredTime | undefined, missing: string): BudgetCheck {
  if (!seen) return { path, limitUs, verdict: 'unknown', detail: missing };
  const { us, detail } = seen;
  return { path, limitUs, actualUs: us, verdict: verdictOf(seen, limitUs), ...(detail !== undefined && { detail }) };
}

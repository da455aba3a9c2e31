// boot/questions/check-budget.ts: did the boot stay within its limits? What cannot be seen is never called good.
import { didYouMean } from '../../base/nearest-names.ts';
import { namedUnit } from '../model/default-target.ts';
import { everySpan, unitSpanId } from '../model/everything.ts';
import { milestonesOf } from '../model/milestones.ts';
import { phases } from '../model/phases.ts';
import type { BootRecord, Span, Unit } from '../model/record.ts';
import { endsOf, originUs } from '../model/total.ts';
import type { Budget } from './budget.ts';

export interface BudgetCheck {
  /** `units.cloud-init.service`: where the limit stands in the budget. */
  path: string;
  limitUs: number;
  actualUs?: number;
  verdict: 'ok' | 'exceeded' | 'unknown';
  /** Why it is unknown, or what the number does not say. */
  detail?: string;
}

/** One answer per limit, in the budget's order. */
export function checkBootBudget(record: BootRecord, budget: Budget): BudgetCheck[] {
  const spans = new Map(everySpan(record).map((span) => [span.id, span]));
  const byPhase = new Map(phases(record).map((phase) => [phase.name as string, phase.endUs - phase.startUs]));
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
    const us = byPhase.get(name);
    checks.push(
      judge(`phases.${name}`, limitUs, us === undefined ? undefined : { us }, 'the boot does not tell this phase'),
    );
  }
  for (const [name, limitUs] of Object.entries(budget.units ?? {})) {
    const unit = namedUnit(record, name);
    const missing = `no such unit in this boot${didYouMean(name, unitNames)}`;
    checks.push(judge(`units.${name}`, limitUs, unit && measureUnit(unit, spans), missing));
  }
  for (const [name, limitUs] of Object.entries(budget.milestones ?? {})) {
    const atUs = instants.get(name);
    const seen = atUs === undefined ? undefined : sinceStart(record, atUs);
    checks.push(judge(`milestones.${name}`, limitUs, seen, 'the boot does not tell when'));
  }
  for (const [id, limitUs] of Object.entries(budget.spans ?? {})) {
    const span = spans.get(id);
    const missing = `no such span in this boot${didYouMean(id, spans.keys())}`;
    checks.push(judge(`spans.${id}`, limitUs, span && { us: span.endUs - span.startUs }, missing));
  }
  return checks;
}

interface MeasuredTime {
  us: number;
  detail?: string;
  /** The true value is at least `us`: enough to fail a limit, not to pass one. */
  isLowerBound?: boolean;
}

function judge(path: string, limitUs: number, seen: MeasuredTime | undefined, missing: string): BudgetCheck {
  if (!seen) return { path, limitUs, verdict: 'unknown', detail: missing };
  const { us, detail, isLowerBound } = seen;
  const verdict = us > limitUs ? 'exceeded' : isLowerBound ? 'unknown' : 'ok';
  return { path, limitUs, actualUs: us, verdict, ...(detail !== undefined && { detail }) };
}

/** A record that knows nothing before userspace, or before its first log line, can show a limit broken but not kept. */
function sinceStart(record: BootRecord, atUs: number, detail?: string): MeasuredTime {
  const us = atUs - originUs(record);
  if (record.clock.zero === 'kernel') return { us, ...(detail !== undefined && { detail }) };
  const from = record.clock.zero === 'userspace' ? 'userspace' : 'the first event';
  return { us, isLowerBound: true, detail: `counted from ${from}: what came before is not known` };
}

function measureUnit(unit: Unit, spans: ReadonlyMap<string, Span>): MeasuredTime {
  const span = spans.get(unitSpanId(unit.name));
  if (!span) {
    return {
      us: 0,
      isLowerBound: true,
      detail: unit.conditionFailed ? 'did not run: a condition failed' : 'did not run',
    };
  }
  const us = span.endUs - span.startUs;
  if (span.result === 'fail') return { us, isLowerBound: true, detail: 'failed: it never came up' };
  const isStarting = unit.activatedUs < unit.activatingUs && unit.deactivatedUs < unit.activatingUs;
  if (isStarting) return { us, isLowerBound: true, detail: 'was still starting when this was recorded' };
  return unit.serviceType === 'simple'
    ? { us, detail: 'Type=simple: up as soon as its process is, however long it takes to be ready' }
    : { us };
}

// boot/questions/check-budget.ts: did the boot stay within its limits? A limit on something unknown is never `ok`.
import { didYouMean } from '../../base/nearest-names.ts';
import { everySpan, unitSpanId } from '../model/all-spans.ts';
import { namedUnit } from '../model/default-target.ts';
import { milestonesOf } from '../model/milestones.ts';
import { phases } from '../model/phases.ts';
import type { BootRecord, Span, Unit } from '../model/record.ts';
import { endsOf, originUs } from '../model/total.ts';
import type { Budget } from './budget.ts';

export interface BudgetCheck {
  /** Path of the limit in the budget: `units.cloud-init.service`. */
  path: string;
  limitUs: number;
  actualUs?: number;
  verdict: 'ok' | 'exceeded' | 'unknown';
  /** Why the verdict is unknown, or a limitation of the number. */
  detail?: string;
}

/** One result per limit, in the budget's order. */
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
      judge(
        `phases.${name}`,
        limitUs,
        us === undefined ? undefined : { us },
        'the boot record does not have this phase',
      ),
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
    checks.push(judge(`milestones.${name}`, limitUs, seen, 'the boot record does not have this milestone'));
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
  /** The true value is at least `us`: enough to exceed a limit, not to meet one. */
  isLowerBound?: boolean;
}

function judge(path: string, limitUs: number, seen: MeasuredTime | undefined, missing: string): BudgetCheck {
  if (!seen) return { path, limitUs, verdict: 'unknown', detail: missing };
  const { us, detail, isLowerBound } = seen;
  const verdict = us > limitUs ? 'exceeded' : isLowerBound ? 'unknown' : 'ok';
  return { path, limitUs, actualUs: us, verdict, ...(detail !== undefined && { detail }) };
}

/** A record that begins with userspace or with the first log line gives only a lower bound. */
function sinceStart(record: BootRecord, atUs: number, detail?: string): MeasuredTime {
  const us = atUs - originUs(record);
  if (record.clock.zero === 'kernel') return { us, ...(detail !== undefined && { detail }) };
  const from = record.clock.zero === 'userspace' ? 'userspace' : 'the first event';
  return { us, isLowerBound: true, detail: `counted from ${from}: the time before is unknown` };
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
  if (span.result === 'fail') return { us, isLowerBound: true, detail: 'failed: it never became active' };
  const isStarting = unit.activatedUs < unit.activatingUs && unit.deactivatedUs < unit.activatingUs;
  if (isStarting) return { us, isLowerBound: true, detail: 'was still starting when the boot was recorded' };
  return unit.serviceType === 'simple'
    ? { us, detail: 'Type=simple: active as soon as its process exists, even if it is not ready yet' }
    : { us };
}

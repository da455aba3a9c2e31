// boot/questions/check/check-baseline.ts: is this boot slower than recorded boots of the same kind, by more than they differ among each other?
import { formatSpan } from '../../../base/duration.ts';
import { milestonesOf } from '../../model/milestones.ts';
import type { BootRecord } from '../../model/record.ts';
import { endsOf, TOTAL_NAMES, type TotalName } from '../../model/total.ts';
import {
  type CheckVerdict,
  type MeasuredTime,
  measurePhases,
  measureUnit,
  sinceStart,
  spansById,
  verdictOf,
} from './measured-time.ts';

export interface BaselineRule {
  /** Part of the slowest baseline value: 0.1 is 10 %. */
  margin: number;
  thresholdUs: number;
}

export interface BaselineCheck {
  /** `total`, `phases.kernel`, `milestones.node-ready`, `units.cloud-init.service`. */
  path: string;
  /** Absent if no baseline boot has the value. */
  limitUs?: number;
  actualUs?: number;
  verdict: CheckVerdict;
  detail?: string;
  /** Of the boots that have the value. */
  baseline?: { boots: number; fastestUs: number; slowestUs: number };
}

/** With fewer boots the slowest one says little about what is usual. */
const ENOUGH_BOOTS = 5;

/** The total, every phase and milestone, then units, those that became slowest first; `baseline` must not be empty. */
export function checkBaseline(
  record: BootRecord,
  baseline: readonly BootRecord[],
  rule: BaselineRule,
): BaselineCheck[] {
  const end = TOTAL_NAMES.find((name) => baseline.some((boot) => endsOf(boot).has(name)));
  const seen = measuresOf(record, end);
  const earlier = baseline.map((boot) => ({ zero: boot.clock.zero, measures: measuresOf(boot, end) }));
  const paths = new Set([...seen.keys(), ...earlier.flatMap(({ measures }) => [...measures.keys()])]);
  const checks: BaselineCheck[] = [];
  const units: BaselineCheck[] = [];
  for (const path of inSections(paths)) {
    const comparable = earlier.filter(({ zero }) => zero === record.clock.zero || !isInstant(path));
    const values = comparable.map(({ measures }) => measures.get(path)).filter((one) => one !== undefined);
    const check = judge(path, { seen: seen.get(path), values, boots: baseline.length }, rule);
    if (check) (path.startsWith('units.') ? units : checks).push(check);
  }
  return [...checks, ...units.sort((a, b) => slowerByUs(b) - slowerByUs(a))];
}

/** A unit that only one side has counts with its whole time. */
function slowerByUs({ actualUs = 0, baseline }: BaselineCheck): number {
  return actualUs - (baseline?.slowestUs ?? 0);
}

export function describeRule({ margin, thresholdUs }: BaselineRule, boots: number): string {
  const slowest = boots === 1 ? 'the one baseline boot' : `the slowest of ${boots} baseline boots`;
  return `Rule: exceeded = slower than ${slowest} by more than ${percent(margin)} and more than ${formatSpan(thresholdUs)}.`;
}

export function fewBoots(boots: number): string | undefined {
  if (boots >= ENOUGH_BOOTS) return undefined;
  const slower = boots === 1 ? 'than it' : boots === 2 ? 'than both' : 'than all of them';
  return (
    `only ${boots} baseline boot${boots === 1 ? '' : 's'}: without any change, 1 boot in ${boots + 1} is slower ${slower}, ` +
    `and only the margin hides that; ${ENOUGH_BOOTS} or more are better`
  );
}

function percent(part: number): string {
  return `${Number((100 * part).toFixed(2))}%`;
}

/** Values of one boot by path. Totals count only until `end`: a boot until Ready and one until startup cannot be compared. */
function measuresOf(record: BootRecord, end: TotalName | undefined): Map<string, MeasuredTime> {
  const measures = new Map<string, MeasuredTime>();
  const endUs = end && endsOf(record).get(end);
  if (endUs !== undefined) measures.set('total', instant(record, endUs, `until ${end}`));
  for (const [name, phase] of measurePhases(record)) measures.set(`phases.${name}`, phase);
  for (const { name, atUs, errorUs = 0 } of milestonesOf(record)) {
    if (name === 'vm-created' || name === 'kernel-start') continue; // the platform's time, and zero by definition
    const error = errorUs >= 1000 ? `± ${formatSpan(errorUs)}` : undefined;
    measures.set(`milestones.${name}`, instant(record, atUs, error));
  }
  const spans = spansById(record);
  for (const unit of record.units) {
    const measured = measureUnit(unit, spans);
    if (measured.us > 0) measures.set(`units.${unit.name}`, measured);
  }
  return measures;
}

/** Only instants of records with the same zero are compared, so that the unknown time before it does not matter. */
function instant(record: BootRecord, atUs: number, detail: string | undefined): MeasuredTime {
  const { us, isLowerBound, detail: remark } = sinceStart(record, atUs, detail);
  if (!isLowerBound || record.clock.zero === 'first-event')
    return { us, ...(remark && { detail: remark }), ...(isLowerBound && { isLowerBound }) };
  return { us, detail: 'counted from userspace' };
}

function isInstant(path: string): boolean {
  return path === 'total' || path.startsWith('milestones.');
}

const SECTIONS = ['total', 'phases.', 'milestones.', 'units.'];

function inSections(paths: ReadonlySet<string>): string[] {
  return SECTIONS.flatMap((section) => [...paths].filter((path) => path.startsWith(section)));
}

interface Values {
  seen: MeasuredTime | undefined;
  /** Of baseline boots. */
  values: readonly MeasuredTime[];
  boots: number;
}

/** Undefined for a unit that only one side has and that took less than the threshold. */
function judge(path: string, { seen, values, boots }: Values, rule: BaselineRule): BaselineCheck | undefined {
  const whole = values.filter((one) => !one.isLowerBound).map(({ us }) => us);
  const isUnit = path.startsWith('units.');
  const actual = seen && { actualUs: seen.us };
  if (whole.length === 0) {
    if (isUnit && (seen?.us ?? 0) < rule.thresholdUs) return undefined;
    const detail = join(seen?.detail, 'no baseline boot has a comparable value');
    return { path, ...actual, verdict: 'unknown', detail };
  }
  const [fastestUs, slowestUs] = [Math.min(...whole), Math.max(...whole)];
  if (!seen && isUnit && slowestUs < rule.thresholdUs) return undefined;
  const limitUs = limitOf(slowestUs, rule);
  const verdict = seen ? verdictOf(seen, limitUs) : 'unknown';
  const leastUs = Math.max(...values.map(({ us }) => us));
  // The true value of an incomplete measurement may be the slowest of all.
  const isOpen = seen !== undefined && verdict === 'exceeded' && seen.us <= limitOf(leastUs, rule);
  const detail = join(
    seen ? seen.detail : 'not in this boot',
    whole.length < boots ? `known of ${whole.length} of ${boots} baseline boots` : undefined,
    isOpen ? `a baseline boot that was recorded incompletely took at least ${formatSpan(leastUs)}` : undefined,
  );
  return {
    path,
    limitUs,
    ...actual,
    verdict: isOpen ? 'unknown' : verdict,
    ...(detail && { detail }),
    baseline: { boots: whole.length, fastestUs, slowestUs },
  };
}

function limitOf(slowestUs: number, { margin, thresholdUs }: BaselineRule): number {
  return slowestUs + Math.max(Math.round(slowestUs * margin), thresholdUs);
}

function join(...texts: (string | undefined)[]): string {
  return texts.filter(Boolean).join('; ');
}

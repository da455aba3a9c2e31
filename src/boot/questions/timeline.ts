// boot/questions/timeline.ts: what happened when from VM creation to Node Ready, how long did it take, and was it work or a wait?

import { everySpan, unitSpanId, unplacedSpans } from '../model/all-spans.ts';
import { inInitrd } from '../model/causes/initrd.ts';
import { askedUnit } from '../model/default-target.ts';
import { KUBELET_LOAD_SPAN } from '../model/joining-spans.ts';
import { KUBELET_UNIT } from '../model/known-units.ts';
import { milestonesOf } from '../model/milestones.ts';
import { phases } from '../model/phases.ts';
import type { BootRecord, Milestone, MilestoneName, ParkedFacts, Span } from '../model/record.ts';
import { PERSON_WAIT } from '../model/waits.ts';
import { unionUs } from './blame.ts';
import { chain } from './chain.ts';

export interface TimelineRow {
  name: string;
  /** `phase`, `milestone`, or the source of a span. */
  source: string;
  /** Absent if the input has only the duration; these rows are the last ones. */
  startUs?: number;
  /** Absent for a milestone. */
  tookUs?: number;
  kind: 'work' | 'wait' | 'instant';
  result?: Span['result'];
  /** The reason of a wait, why it failed, what started it, or the precision of a milestone. */
  detail?: string;
  /** Nesting level. */
  depth: number;
}

export interface Timeline {
  rows: TimelineRow[];
  /** From the first known instant to `endsAt`; like `waitUs` and `ownUs`, absent if no input measures it. */
  totalUs?: number;
  /**
   * The part of the total in which the node was blocked on something outside it. Overlapping waits count once. A wait that is not on
   * the critical chain delayed nothing: it is a row, but does not count here.
   */
  waitUs?: number;
  /** The total without the waits. */
  ownUs?: number;
  /** `totalUs` is exact to ± this. Absent if it is as exact as its source. */
  errorUs?: number;
  /** A milestone, the unit that a pasted listing is about, or the last event, which may be earlier than the end of the boot. */
  endsAt?: string;
  /** Of a standby instance: all times count from its claim. */
  claim?: ParkedFacts;
  /** Of a standby instance: the wait before the first of `rows`, which is part of no total. */
  parked?: TimelineRow;
}

/** While rows are made, all of them have a start. */
type PlacedRow = TimelineRow & { startUs: number };

const ENDS: readonly MilestoneName[] = ['node-ready', 'node-registered', 'startup-finished'];
/** Units that get a row even if no log shows what they did. */
const SHOWN_UNITS: readonly RegExp[] = [
  /^(cloud-init-local|cloud-init-main|cloud-init-network|cloud-init|cloud-config|cloud-final)\.service$/,
  /^(walinuxagent|waagent|google-guest-agent|amazon-ssm-agent)\.service$/,
  /^(containerd|docker|crio)\.service$/,
  /^kubelet\.service$/,
  /^(systemd-networkd|NetworkManager|networking)\.service$/,
];

/** Rows for units that are not among SHOWN_UNITS; `boot blame` lists all. */
const MOST_OTHERS = 10;

/** Rows for the longest units of a systemd initrd: the phase alone does not say where its time went. */
const MOST_IN_INITRD = 5;

/** Sources with a row for each part, because each part is a step to Ready. */
const SHOWN_IN_PARTS: ReadonlySet<Span['source']> = new Set(['extension', 'kubelet', 'kernel']);

/** Rows for initcalls and driver probes of the kernel that took at least this; `boot blame` lists more. */
const MOST_INITCALLS = 5;
const INITCALL_US = 50_000;

export function timeline(record: BootRecord): Timeline {
  const spans = everySpan(record);
  const milestones = milestonesOf(record);
  const everything = inOrder([
    ...phaseRows(record),
    ...creationRow(milestones),
    ...spanRows(spans, new Set(longestOf(inInitrd(record, spans)).slice(0, MOST_IN_INITRD))),
    ...milestones.map(milestoneRow),
  ]);
  // The clock is not reset by a soft reboot: rows before it belong to an earlier boot.
  const softReboot = phases(record).find((phase) => phase.name === 'soft-reboot');
  const rows = softReboot ? everything.filter((row) => row.startUs >= softReboot.startUs) : everything;
  const bounds = boundsOf(record, rows, spans, milestones);
  const unplaced = unplacedSpans(record).map(unplacedRow).sort(longestFirst).slice(0, MOST_OTHERS);
  const claim = record.claim && { claim: record.claim, parked: parkedRow(record.claim) };
  if (!bounds) return { rows: [...rows, ...unplaced], ...claim };
  const waitUs = unionUs([...blockingWaits(record, spans), ...creationRow(milestones).map(intervalOf)], bounds);
  const totalUs = bounds.endUs - bounds.startUs;
  const { endsAt } = bounds;
  const errorUs = endErrorUs(record, milestones, endsAt);
  return {
    rows: [...rows, ...unplaced],
    totalUs,
    waitUs,
    ownUs: totalUs - waitUs,
    ...(errorUs >= SHOWN_ERROR_US && { errorUs }),
    endsAt,
    ...claim,
  };
}

function parkedRow({ tier, parkedUs }: ParkedFacts): TimelineRow {
  const place = { startUs: 0 - parkedUs, tookUs: parkedUs };
  const detail = 'standby: until it is claimed; not part of the total';
  return { name: `parked, ${tier}`, source: 'platform', ...place, kind: 'wait', detail, depth: 0 };
}

/** Of the milestone at the end; else, if there are only wall-clock logs, of the relation of their clock to the kernel's. */
function endErrorUs({ clock, sources }: BootRecord, milestones: readonly Milestone[], endsAt: string): number {
  const end = milestones.find((milestone) => milestone.name === endsAt);
  if (end) return end.errorUs ?? 0;
  return sources.every(({ kind }) => WALL_CLOCK_LOGS.has(kind)) ? (clock.errorUs ?? 0) : 0;
}

const WALL_CLOCK_LOGS: ReadonlySet<string> = new Set(['journal-text', 'cloud-init-log', 'cloud-init-dump']);

function blockingWaits(record: BootRecord, spans: readonly Span[]): Span[] {
  const waits = spans.filter((span) => span.wait !== undefined);
  const links = chain(record);
  if (links.length === 0) return waits; // logs without units: stages run in sequence
  const onChain = new Set(links.flatMap((link) => [link.id, ...link.inside.map((span) => span.id)]));
  // The real root starts after the initrd, so a person who types there delays everything.
  const typed = new Set(inInitrd(record, waits).filter(({ wait }) => wait === PERSON_WAIT));
  return waits.filter((span) => onChain.has(span.id) || typed.has(span));
}

function intervalOf(row: PlacedRow): { startUs: number; endUs: number } {
  return { startUs: row.startUs, endUs: row.startUs + (row.tookUs ?? 0) };
}

function phaseRows(record: BootRecord): PlacedRow[] {
  return phases(record).map(({ name, startUs, endUs }) => ({
    name,
    source: 'phase',
    startUs,
    tookUs: endUs - startUs,
    kind: 'work',
    depth: 0,
  }));
}

/** The platform allocates, copies and powers on the VM before the kernel runs: a wait for the node. */
function creationRow(milestones: readonly Milestone[]): PlacedRow[] {
  const created = milestones.find((m) => m.name === 'vm-created');
  const kernel = milestones.find((m) => m.name === 'kernel-start');
  if (!created || !kernel || created.atUs >= kernel.atUs) return [];
  const tookUs = kernel.atUs - created.atUs;
  const detail = 'platform: VM being created';
  return [{ name: 'VM creation', source: 'platform', startUs: created.atUs, tookUs, kind: 'wait', detail, depth: 0 }];
}

/** Stages, tasks and waits, each under the span that contains it; of the units only waits and SHOWN_UNITS. */
function spanRows(spans: readonly Span[], ofInitrd: ReadonlySet<Span>): PlacedRow[] {
  const byId = new Map(spans.map((span) => [span.id, span]));
  const isUsual = (span: Span): boolean =>
    span.source !== 'systemd' ||
    span.wait !== undefined ||
    hasFailed(span) ||
    SHOWN_UNITS.some((unit) => unit.test(span.name));
  // Where none of these ran, the longest units say where the time went.
  const others = spans.some(isUsual) ? new Set<Span>() : new Set(longestOf(spans));
  const shown = (span: Span): boolean => isUsual(span) || others.has(span) || ofInitrd.has(span);
  const isStage = (span: Span) =>
    span.parent === undefined || !byId.has(span.parent) || byId.get(span.parent)!.source === 'systemd';
  const isExplained = new Set(spans.filter((s) => s.parent !== undefined && isStage(s)).map((s) => s.parent));
  const calls = new Set(longestOf(spans.filter(isInitcall)).slice(0, MOST_INITCALLS));
  return spans
    .filter((span) => !isLaterStart(span, byId))
    .filter((span) => (isInitcall(span) ? calls.has(span) && span.endUs - span.startUs >= INITCALL_US : shown(span)))
    .filter((span) => isStage(span) || span.wait !== undefined || SHOWN_IN_PARTS.has(span.source))
    .filter(
      (span) =>
        !(span.source === 'systemd' && isExplained.has(span.id) && span.wait === undefined && !hasOwnTime(span, spans)),
    )
    .map((span) => ({
      name: span.name,
      source: span.source,
      startUs: span.startUs,
      tookUs: span.endUs - span.startUs,
      kind: span.wait === undefined ? 'work' : 'wait',
      ...(span.result !== undefined && { result: span.result }),
      ...detailOf(span),
      depth: Math.min(depthOf(span, byId), 3),
    }));
}

function isInitcall({ id }: Span): boolean {
  return /^kernel:(?:initcall|probe)\//.test(id);
}

function longestOf(spans: readonly Span[]): Span[] {
  const tookUs = (span: Span) => span.endUs - span.startUs;
  return spans
    .filter((span) => tookUs(span) > 0)
    .sort((a, b) => tookUs(b) - tookUs(a) || (a.id < b.id ? -1 : 1))
    .slice(0, MOST_OTHERS);
}

function unplacedRow(span: Span): TimelineRow {
  return {
    name: span.name,
    source: span.source,
    tookUs: span.endUs,
    kind: span.wait === undefined ? 'work' : 'wait',
    ...detailOf(span),
    depth: 0,
  };
}

function longestFirst(a: TimelineRow, b: TimelineRow): number {
  return (b.tookUs ?? 0) - (a.tookUs ?? 0) || (a.name < b.name ? -1 : 1);
}

/** A configuration change restarts kubelet, and systemd has only the last start. The first start is a separate span. */
function isLaterStart(span: Span, byId: ReadonlyMap<string, Span>): boolean {
  const first = byId.get(KUBELET_LOAD_SPAN);
  return first !== undefined && span.id === unitSpanId(KUBELET_UNIT) && span.startUs > first.endUs;
}

/** A unit that its stage covers completely needs no second row. Time before the log begins (Python starting) does. */
function hasOwnTime(unit: Span, spans: readonly Span[]): boolean {
  const inside = spans.filter((span) => span.parent === unit.id);
  const tookUs = unit.endUs - unit.startUs;
  return tookUs - unionUs(inside, unit) > Math.max(50_000, tookUs / 10);
}

/** Its start took time and came to no good end. A unit that failed later was not slow because of it. */
function hasFailed({ result, startUs, endUs, failure }: Span): boolean {
  return result === 'fail' && endUs > startUs && !failure?.startsWith('after it had started');
}

function detailOf({ wait, result, failure, startedBy, detail }: Span): { detail?: string } {
  const failed = result !== 'fail' ? undefined : failure === undefined ? 'failed' : `failed: ${failure}`;
  const limit = wait === undefined && failed === undefined ? limitOf(detail ?? '') : undefined;
  const parts = [
    ...(wait === undefined ? [] : [wait]),
    ...(failed === undefined ? [] : [failed]),
    ...(limit === undefined ? [] : [limit]),
    ...(result === 'warn' && wait === undefined ? ['with warnings'] : []),
    ...(startedBy === undefined ? [] : [`started by ${startedBy}`]),
  ];
  return parts.length === 0 ? {} : { detail: parts.join('; ') };
}

/** If the log has no end of a step, its length is a limit. */
function limitOf(detail: string): string | undefined {
  if (detail.startsWith('at most')) return detail;
  return detail.includes('its finish is not in this log') ? 'at least: its finish is not in this log' : undefined;
}

function depthOf(span: Span, byId: ReadonlyMap<string, Span>): number {
  let depth = 0;
  let parent = span.parent === undefined ? undefined : byId.get(span.parent);
  while (parent && depth < 8) {
    depth++;
    parent = parent.parent === undefined ? undefined : byId.get(parent.parent);
  }
  return depth;
}

function milestoneRow(milestone: Milestone): PlacedRow {
  return {
    name: milestone.name,
    source: 'milestone',
    startUs: milestone.atUs,
    kind: 'instant',
    ...((milestone.errorUs ?? 0) >= SHOWN_ERROR_US && { detail: plusMinus(milestone.errorUs!) }),
    depth: 0,
  };
}

const SHOWN_ERROR_US = 1000;

/** In milliseconds, rounded up. */
export function plusMinus(errorUs: number): string {
  return `± ${Math.ceil(errorUs / 1000) / 1000} s`;
}

/** By start. On a tie, durations come before instants, and outer rows before inner ones. */
function inOrder(rows: PlacedRow[]): PlacedRow[] {
  return rows.sort(
    (a, b) =>
      a.startUs - b.startUs ||
      Number(a.kind === 'instant') - Number(b.kind === 'instant') ||
      (b.tookUs ?? 0) - (a.tookUs ?? 0) ||
      a.depth - b.depth ||
      (a.name < b.name ? -1 : 1),
  );
}

/** Undefined if the inputs have no more than one instant: a total of 0 would be a number that nothing measured. */
function boundsOf(
  record: BootRecord,
  rows: readonly PlacedRow[],
  spans: readonly Span[],
  milestones: readonly Milestone[],
): { startUs: number; endUs: number; endsAt: string } | undefined {
  const first = rows[0];
  if (!first) return undefined;
  const { endUs, endsAt } = endOf(record, rows, spans, milestones);
  return endUs > first.startUs ? { startUs: first.startUs, endUs, endsAt } : undefined;
}

function endOf(
  record: BootRecord,
  rows: readonly PlacedRow[],
  spans: readonly Span[],
  milestones: readonly Milestone[],
): { endUs: number; endsAt: string } {
  const end = ENDS.map((name) => milestones.find((m) => m.name === name)).find((m) => m !== undefined);
  if (end) return { endUs: end.atUs, endsAt: end.name };
  const asked = askedUnit(record);
  const unit = spans.find((span) => span.id === unitSpanId(asked ?? ''));
  if (unit) return { endUs: unit.endUs, endsAt: unit.name };
  let endUs = Number.NEGATIVE_INFINITY;
  for (const row of rows) endUs = Math.max(endUs, row.startUs + (row.tookUs ?? 0));
  for (const span of spans) endUs = Math.max(endUs, span.endUs); // most units have no row
  return { endUs, endsAt: 'last event' };
}

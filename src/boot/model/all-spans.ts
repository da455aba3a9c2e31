// boot/model/all-spans.ts: all spans of a boot in one list: units, cloud-init, agents, kubelet, cluster.
import { failureOf } from './causes/failures.ts';
import { settledUnits } from './causes/initrd.ts';
import { type BootRecord, isPlaced, type Span, startTookUs, type Unit } from './record.ts';
import { triggeredUnits } from './triggered-units.ts';
import { waitReason } from './waits.ts';

export function unitSpanId(unit: string): string {
  return `systemd:${unit}`;
}

/** All spans at a known instant: units first, in the record's order, then the other spans. Sets `parent` where the containing span is known. */
export function everySpan(record: BootRecord): Span[] {
  const triggered = triggeredUnits(record);
  const units = settledUnits(record)
    .filter(isPlaced)
    .map((unit) => spanOfUnit(unit, record, triggered.get(unit.name)));
  const unitById = new Map(units.map((span) => [span.id, span]));
  const script = record.spans.find(isWholeScript);
  const others = record.spans.map((span) => {
    const parent = parentOf(span, { units: unitById, script, errorUs: record.clock.errorUs ?? 0 });
    return parent === undefined ? span : { ...span, parent };
  });
  // If a log shows which part of a unit was a wait, the unit as a whole does not count as a wait.
  const byId = new Map(others.map((span) => [span.id, span]));
  const waiting = new Set(others.filter((span) => span.wait !== undefined).map((span) => topOf(span, byId)));
  return [...units.map((span) => (waiting.has(span.id) ? asWork(span) : span)), ...others];
}

/** Units of which only the duration is known. Their `startUs` is 0 and means nothing. */
export function unplacedSpans(record: BootRecord): Span[] {
  return record.units
    .filter((unit) => unit.isStartUnknown === true)
    .map((unit) => ({ ...spanOfUnit(unit, record), startUs: 0, endUs: startTookUs(unit) }));
}

/**
 * A cloud-init stage is part of the start of the unit that ran it. Work that a unit does after it became active is not part of its
 * start: kubelet becomes active at once and reaches Ready much later.
 */
function parentOf(
  span: Span,
  { units, script, errorUs }: { units: ReadonlyMap<string, Span>; script: Span | undefined; errorUs: number },
): string | undefined {
  if (span.parent !== undefined) return undefined;
  const unit = span.unit === undefined ? undefined : units.get(unitSpanId(span.unit));
  if (unit && isMostlyInside(span, unit, errorUs)) return unit.id;
  const isTask = script && span.id !== script.id && span.source === 'extension' && span.wait === undefined;
  return isTask && span.startUs >= script.startUs && span.endUs <= script.endUs ? script.id : undefined;
}

/** The clock error limits how precisely a log line can be placed relative to a unit. */
function isMostlyInside(span: Span, around: Span, errorUs: number): boolean {
  const sharedUs = Math.min(span.endUs, around.endUs + errorUs) - Math.max(span.startUs, around.startUs - errorUs);
  return sharedUs >= (span.endUs - span.startUs) / 2;
}

/** This event of the AKS node setup script covers the whole script, although its name suggests only the start. */
function isWholeScript(span: Span): boolean {
  return span.source === 'extension' && span.name === 'AKS.CSE.cse_start';
}

function spanOfUnit(unit: Unit, record: BootRecord, startedBy?: string): Span {
  const wait = waitReason(unit, record);
  const failure = failureOf(unit);
  return {
    id: unitSpanId(unit.name),
    name: unit.name,
    source: 'systemd',
    unit: unit.name,
    startUs: unit.activatingUs,
    endUs: unit.activatingUs + startTookUs(unit),
    ...(wait !== undefined && { wait }),
    ...(failure !== undefined && { result: 'fail' as const, failure }),
    ...(startedBy !== undefined && { startedBy }),
    ...(unit.description !== undefined && { detail: unit.description }),
  };
}

function asWork(span: Span): Span {
  const { wait: _, ...rest } = span;
  return rest;
}

/** The topmost ancestor's id. Stops at a parent that is missing or part of a loop. */
function topOf(span: Span, byId: ReadonlyMap<string, Span>): string {
  const seen = new Set<string>();
  let id = span.id;
  for (let parent = span.parent; parent !== undefined && !seen.has(parent); parent = byId.get(parent)?.parent) {
    seen.add(parent);
    id = parent;
  }
  return id;
}

export interface SpanTree {
  span: Span;
  children: SpanTree[];
}

/** A span with an unknown parent, or in a parent loop, becomes a root. Siblings are in start order. */
export function spanForest(spans: readonly Span[]): SpanTree[] {
  const nodes = new Map(spans.map((span) => [span.id, { span, children: [] as SpanTree[] }]));
  const top: SpanTree[] = [];
  for (const node of nodes.values()) {
    const parent = node.span.parent === undefined ? undefined : nodes.get(node.span.parent);
    if (parent && !isAbove(node.span.id, parent.span, nodes)) parent.children.push(node);
    else top.push(node);
  }
  const inOrder = (a: SpanTree, b: SpanTree) => a.span.startUs - b.span.startUs || (a.span.id < b.span.id ? -1 : 1);
  for (const node of nodes.values()) node.children.sort(inOrder);
  return top.sort(inOrder);
}

const MAX_DEPTH = 32;

/** Whether `id` is an ancestor of `span`. More than MAX_DEPTH ancestors count as a loop. */
function isAbove(id: string, span: Span, nodes: ReadonlyMap<string, SpanTree>): boolean {
  let current: Span | undefined = span;
  for (let depth = 0; current && depth < MAX_DEPTH; depth++) {
    if (current.id === id) return true;
    current = current.parent === undefined ? undefined : nodes.get(current.parent)?.span;
  }
  return current !== undefined;
}

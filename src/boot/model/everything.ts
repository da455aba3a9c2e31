// boot/model/everything.ts: everything that took time in a boot as one list of spans: units, cloud-init, agents, kubelet, cluster.
import { type BootRecord, hasStarted, type Span, startTookUs, type Unit } from './record.ts';
import { waitReason } from './waits.ts';

export function unitSpanId(unit: string): string {
  return `systemd:${unit}`;
}

/** Units first, in the record's order, then the other spans, each under what it was a part of where that is known. */
export function everySpan(record: BootRecord): Span[] {
  const units = record.units.filter(hasStarted).map((unit) => spanOfUnit(unit, record));
  const unitById = new Map(units.map((span) => [span.id, span]));
  const script = record.spans.find(isWholeScript);
  const others = record.spans.map((span) => {
    const parent = parentOf(span, { units: unitById, script, errorUs: record.clock.errorUs ?? 0 });
    return parent === undefined ? span : { ...span, parent };
  });
  // Where the log says which part of a stage was the wait, the unit as a whole is not one.
  const byId = new Map(others.map((span) => [span.id, span]));
  const waiting = new Set(others.filter((span) => span.wait !== undefined).map((span) => topOf(span, byId)));
  return [...units.map((span) => (waiting.has(span.id) ? asWork(span) : span)), ...others];
}

/**
 * A cloud-init stage is part of the start of the unit that ran it. What a unit did after it was up is not: the kubelet is
 * up at once, and on its way to Ready for long after.
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

/** Logs are placed beside units no more exactly than the two clocks are tied. */
function isMostlyInside(span: Span, around: Span, errorUs: number): boolean {
  const sharedUs = Math.min(span.endUs, around.endUs + errorUs) - Math.max(span.startUs, around.startUs - errorUs);
  return sharedUs >= (span.endUs - span.startUs) / 2;
}

/** One event of AKS's node set-up spans all the others, though its name does not say so. */
function isWholeScript(span: Span): boolean {
  return span.source === 'extension' && span.name === 'AKS.CSE.cse_start';
}

function spanOfUnit(unit: Unit, record: BootRecord): Span {
  const wait = waitReason(unit, record);
  return {
    id: unitSpanId(unit.name),
    name: unit.name,
    source: 'systemd',
    unit: unit.name,
    startUs: unit.activatingUs,
    endUs: unit.activatingUs + startTookUs(unit),
    ...(wait !== undefined && { wait }),
    ...(isFailed(unit) && { result: 'fail' as const }),
    ...(unit.description !== undefined && { detail: unit.description }),
  };
}

function isFailed(unit: Unit): boolean {
  return unit.activeState === 'failed' || (unit.result !== undefined && unit.result !== 'success');
}

function asWork(span: Span): Span {
  const { wait: _, ...rest } = span;
  return rest;
}

/** The id at the top of a span's line of parents; a parent that is missing or loops ends the line. */
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

/** Spans as a forest; a span whose parent is unknown, or part of a loop, stands at the top. Start order on every level. */
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

/** Whether `id` is already above `span`; a line of parents longer than any real one counts as a loop. */
function isAbove(id: string, span: Span, nodes: ReadonlyMap<string, SpanTree>): boolean {
  let current: Span | undefined = span;
  for (let depth = 0; current && depth < MAX_DEPTH; depth++) {
    if (current.id === id) return true;
    current = current.parent === undefined ? undefined : nodes.get(current.parent)?.span;
  }
  return current !== undefined;
}

// boot/everything.ts: everything that took time in a boot as one list of spans: units, cloud-init, agents, kubelet, cluster.
import { type BootRecord, hasStarted, type Span, startTookUs, type Unit } from './record.ts';
import { waitReason } from './waits.ts';

export function unitSpanId(unit: string): string {
  return `systemd:${unit}`;
}

/** Units first, in the record's order, then the other spans; a cloud-init stage hangs under the unit that ran it. */
export function everySpan(record: BootRecord): Span[] {
  const units = record.units.filter(hasStarted).map(spanOfUnit);
  const ids = new Set(units.map((span) => span.id));
  const others = record.spans.map((span) => {
    if (span.parent !== undefined || span.unit === undefined) return span;
    const parent = unitSpanId(span.unit);
    return ids.has(parent) ? { ...span, parent } : span;
  });
  // Where the log says which part of a stage was the wait, the unit as a whole is not one.
  const byId = new Map(others.map((span) => [span.id, span]));
  const waiting = new Set(others.filter((span) => span.wait !== undefined).map((span) => topOf(span, byId)));
  return [...units.map((span) => (waiting.has(span.id) ? working(span) : span)), ...others];
}

function spanOfUnit(unit: Unit): Span {
  const wait = waitReason(unit);
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

function working(span: Span): Span {
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

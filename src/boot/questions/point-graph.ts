// boot/questions/point-graph.ts: what waited for what in this boot, from the first unit to Node Ready? Units, spans and milestones in one graph.
import { unitSpanId } from '../model/all-spans.ts';
import { KUBELET_UNIT } from '../model/known-units.ts';
import { breakTies, latestEndUs, type OrderGraph, orderGraph, type PlatformHold } from '../model/order-graph.ts';
import type { BootRecord, Milestone, Span, SpanSource } from '../model/record.ts';
import { triggeredUnits } from '../model/triggered-units.ts';
import { heldBackBy } from './chain-held-back.ts';
import { type ChainPoints, chainPoints, isJoinSpan, milestonePoint, type Point } from './chain-points.ts';
import { kubeletStart } from './chain-to-ready.ts';

/** Points are units, then stop jobs of units, then spans and milestones. */
export interface PointGraph extends OrderGraph {
  points: ChainPoints;
  sources: SpanSource[];
  /** As observed. */
  startUs: number[];
  /** Span ids, and `milestone:NAME`. */
  ids: string[];
  numberOfId: Map<string, number>;
  waits: Map<number, string>;
  holds: Map<number, PlatformHold>;
  /** First parts of a point, which end when it started something else: edits of the point apply to them too. */
  shadows: Map<number, number[]>;
  /** Units that a script or a task started, and the point that did. */
  startedBy: Map<number, number>;
  /** Units by what triggers them. */
  triggered: ReadonlyMap<string, string>;
  /** A pasted critical chain: one After= per unit is known, so ordering passes through a masked unit. */
  isPartial: boolean;
  notes: string[];
}

const SPAN_SOURCES: ReadonlySet<SpanSource> = new Set([
  'cloud-init',
  'guest-agent',
  'extension',
  'node-config',
  'kubelet',
  'cluster',
]);

/** A unit that starts within this time after its last dependency was queued, not started by a script. */
const QUEUED_US = 1_000_000;

export function pointGraph(recorded: BootRecord): PointGraph {
  const { record, note } = withFirstKubelet(recorded);
  const graph = emptyPointGraph(record, note);
  const { points } = graph;
  const spans = [...points.spans.values()].filter((span) => isPoint(points, span));
  for (const span of spans) addPoint(graph, span);
  for (const name of points.milestones.keys()) addPoint(graph, milestonePoint(points, name)!);
  for (const span of spans) waitFor(graph, graph.numberOfId.get(span.id)!, before(points, span));
  addStarters(graph);
  for (const milestone of points.milestones.values()) orderMilestone(graph, milestone);
  copyToShadows(graph);
  breakTies(graph.startUs, graph.tookUs, graph.after);
  setDelays(graph);
  addHolds(graph);
  return graph;
}

function emptyPointGraph(record: BootRecord, note: string | undefined): PointGraph {
  const points = chainPoints(record);
  const units = orderGraph(record);
  const numberOfId = new Map<string, number>();
  const waits = new Map<number, string>();
  for (const [u, name] of units.names.entries()) {
    numberOfId.set(unitSpanId(name), u);
    const job = points.spans.has(unitSpanId(name)) ? undefined : points.failedJobs.get(name);
    if (job) numberOfId.set(job.id, u);
    const wait = (points.spans.get(unitSpanId(name)) ?? job)?.wait;
    if (wait !== undefined) waits.set(u, wait);
  }
  return {
    ...units,
    points,
    sources: units.names.map(() => 'systemd' as const),
    ids: units.names.map(unitSpanId),
    numberOfId,
    waits,
    holds: new Map(),
    shadows: new Map(),
    startedBy: new Map(),
    triggered: triggeredUnits(record),
    isPartial: isPastedChain(record),
    notes: note === undefined ? [] : [note],
  };
}

/** systemd has the last start of kubelet only. The boot waited for the first one. */
function withFirstKubelet(record: BootRecord): { record: BootRecord; note?: string } {
  const unit = record.units.find(({ name }) => name === KUBELET_UNIT);
  const first = unit && kubeletStart(chainPoints(record));
  if (!unit || !first || first.startUs >= unit.activatingUs) return { record };
  const times = { activatingUs: first.startUs, activatedUs: first.startUs, deactivatingUs: 0, deactivatedUs: 0 };
  return {
    record: { ...record, units: record.units.map((one) => (one === unit ? { ...one, ...times } : one)) },
    note: `${KUBELET_UNIT} was restarted after the boot: the model uses its first start`,
  };
}

export function isPastedChain({ sources }: BootRecord): boolean {
  const kinds = new Set(sources.map((source) => source.kind));
  return kinds.has('analyze-critical-chain') && !kinds.has('systemctl-units') && !kinds.has('analyze-plot-svg');
}

/** Spans inside another one are part of it; tasks and steps of kubelet are points because others wait for them. */
function isPoint({ spans, units }: ChainPoints, span: Span): boolean {
  if (!SPAN_SOURCES.has(span.source) || (span.unit !== undefined && span.id === unitSpanId(span.unit))) return false;
  const isInside = span.parent !== undefined && spans.has(span.parent);
  if (!isInside) return !units.has(span.name);
  return isJoinSpan(span) || span.source === 'extension' || span.source === 'guest-agent';
}

function addPoint(graph: PointGraph, point: Point): number {
  const u = graph.names.length;
  graph.names.push(point.name);
  graph.ids.push(point.id);
  graph.numberOfId.set(point.id, u);
  graph.sources.push(point.source);
  graph.after.push([]);
  graph.startUs.push(point.startUs);
  graph.tookUs.push(Math.max(0, point.endUs - point.startUs));
  graph.floorUs.push(Math.min(graph.earliestUs, point.startUs));
  graph.delayUs.push(point.startUs - graph.floorUs[u]!);
  if (point.wait !== undefined) graph.waits.set(u, point.wait);
  return u;
}

/** What the chain shows before a span. */
function before(points: ChainPoints, span: Span): Point | undefined {
  if (span.source !== 'node-config') return heldBackBy(points, span);
  const unit = span.unit === undefined ? undefined : points.spans.get(unitSpanId(span.unit));
  return unit && unit.endUs <= span.startUs ? unit : undefined;
}

function waitFor(graph: PointGraph, u: number, point: Point | undefined): void {
  const d = point && numberOfPoint(graph, point);
  if (d === undefined || d === u) return;
  const { startUs } = graph;
  const isEarlier = startUs[d]! < startUs[u]! || endOf(graph, d) <= startUs[u]!;
  // Stamps in whole seconds can put a step before the start of kubelet: then it waits for what kubelet waited for.
  const found = isEarlier ? [d] : graph.after[d]!.filter((one) => endOf(graph, one) <= startUs[u]!);
  orderAfter(graph, u, found);
}

function orderAfter(graph: PointGraph, u: number, found: readonly number[]): void {
  graph.after[u] = [...new Set([...graph.after[u]!, ...found])];
}

function setDelays({ startUs, tookUs, floorUs, after, delayUs }: PointGraph): void {
  const endUs = startUs.map((us, u) => us + tookUs[u]!);
  for (const [u, us] of startUs.entries()) delayUs[u] = us - latestEndUs(after[u]!, endUs, floorUs[u]!);
}

function endOf({ startUs, tookUs }: PointGraph, u: number): number {
  return startUs[u]! + tookUs[u]!;
}

/** The number of a point of the chain, which may end early, or be a part of a point of the graph. */
export function numberOfPoint(graph: PointGraph, { id, endUs }: Point): number | undefined {
  const { spans } = graph.points;
  const visited = new Set<string>();
  let top: string | undefined = id;
  while (top !== undefined && !graph.numberOfId.has(top) && !visited.has(top)) {
    visited.add(top);
    top = spans.get(top)?.parent;
  }
  const u = top === undefined ? undefined : graph.numberOfId.get(top);
  if (u === undefined || endUs >= endOf(graph, u)) return u;
  return shadowUntil(graph, u, endUs);
}

function shadowUntil(graph: PointGraph, u: number, untilUs: number): number {
  const startUs = graph.startUs[u]!;
  const shadow = addPoint(graph, {
    id: `${graph.names[u]} until ${untilUs}`,
    name: graph.names[u]!,
    source: graph.sources[u]!,
    startUs,
    endUs: untilUs,
  });
  graph.shadows.set(u, [...(graph.shadows.get(u) ?? []), shadow]);
  copyOrder(graph, u, shadow);
  return shadow;
}

function copyOrder({ after, floorUs, delayUs }: PointGraph, from: number, to: number): void {
  after[to] = after[from]!;
  floorUs[to] = floorUs[from]!;
  delayUs[to] = delayUs[from]!;
}

/** Again: a point may have got orderings after its shadow was made. */
function copyToShadows(graph: PointGraph): void {
  for (const [u, shadows] of graph.shadows) for (const shadow of shadows) copyOrder(graph, u, shadow);
}

/** Units that a script of cloud-init or a task of an extension started. */
function addStarters(graph: PointGraph): void {
  const { points, triggered } = graph;
  if (points.agentTasks.length === 0 && points.startingModules.length === 0) return;
  for (const { name } of points.record.units) {
    const u = graph.numberOfId.get(unitSpanId(name));
    if (u === undefined || triggered.has(name)) continue;
    if (graph.delayUs[u]! < QUEUED_US && name !== KUBELET_UNIT) continue;
    const starter = heldBackBy(points, points.spans.get(unitSpanId(name))!);
    const full = starter && points.spans.get(starter.id);
    if (!starter || (full?.endUs === starter.endUs && starter.source === 'systemd')) continue;
    const known = graph.numberOfId.get(starter.id);
    if (known === undefined || known === u) continue;
    waitFor(graph, u, starter);
    graph.startedBy.set(u, known);
  }
}

function orderMilestone(graph: PointGraph, milestone: Milestone): void {
  const { points } = graph;
  const point = milestonePoint(points, milestone.name)!;
  const u = graph.numberOfId.get(point.id)!;
  if (milestone.name === 'startup-finished') orderAfter(graph, u, startedBy(graph, milestone.atUs));
  else waitFor(graph, u, beforeMilestone(points, milestone, point));
}

function beforeMilestone(points: ChainPoints, { detail, source }: Milestone, point: Point): Point | undefined {
  const unit = detail === undefined ? undefined : points.spans.get(unitSpanId(detail));
  if (unit) return { ...unit, endUs: Math.min(unit.endUs, Math.max(unit.startUs, point.endUs)) };
  if (source === 'cloud-init') return cloudInitAt(points, point);
  return source === 'systemd' || source === 'kernel' ? undefined : heldBackBy(points, point);
}

/** Startup finishes with the last job of the boot. Devices and sessions have none. */
function startedBy(graph: PointGraph, atUs: number): number[] {
  return graph.points.record.units.flatMap(({ name }) => {
    const u = graph.numberOfId.get(unitSpanId(name));
    if (u === undefined || /\.(?:device|scope)$/.test(name)) return [];
    return endOf(graph, u) <= atUs ? [u] : [];
  });
}

function cloudInitAt(points: ChainPoints, point: Point): Point | undefined {
  const around = points.stages.find((stage) => stage.startUs <= point.startUs && point.startUs <= stage.endUs);
  return around ? { ...around, endUs: point.startUs } : heldBackBy(points, point);
}

/** A pre-provisioned VM is claimed when the platform says so, however fast the node is. */
function addHolds(graph: PointGraph): void {
  for (const span of graph.points.spans.values()) {
    if (span.wait === undefined || !isPlatformWait(span.wait)) continue;
    const u = numberOfPoint(graph, { ...span, endUs: Number.POSITIVE_INFINITY });
    if (u === undefined || (graph.holds.get(u)?.untilUs ?? 0) > span.endUs) continue;
    for (const one of [u, ...(graph.shadows.get(u) ?? [])]) {
      if (endOf(graph, one) < span.endUs) continue;
      graph.holds.set(one, { untilUs: span.endUs, tailUs: endOf(graph, one) - span.endUs, reason: span.wait });
    }
  }
}

export function isPlatformWait(reason: string): boolean {
  return reason.startsWith('platform');
}

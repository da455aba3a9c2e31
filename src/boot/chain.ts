// boot/chain.ts: what held the node back, link by link, from the end of the boot to its beginning? Over everything, not units only.
import { everySpan, unitSpanId } from './everything.ts';
import { milestonesOf } from './milestones.ts';
import { type BootRecord, hasStarted, type MilestoneName, type Span, startTookUs, type Unit } from './record.ts';
import { defaultTarget } from './systemd/default-target.ts';

export interface ChainLink {
  /** Of `everySpan`, or `milestone:NAME`. */
  id: string;
  name: string;
  source: Span['source'];
  startUs: number;
  endUs: number;
  wait?: string;
  result?: Span['result'];
  /** Time between the end of what it waited for and its own start: queueing, or something no source shows. */
  gapUs: number;
  /** What went on inside, in start order: a stage's modules, an extension's tasks. */
  inside: Span[];
}

/** The first one known is what the user waited for. */
const END_POINTS: readonly MilestoneName[] = ['node-ready', 'node-registered', 'kubelet-started', 'startup-finished'];

/** Last link first, as critical-chain prints it. Empty when the target is unknown: see `chainTarget`. */
export function chain(record: BootRecord, target: string | undefined = chainTarget(record)): ChainLink[] {
  if (target === undefined) return [];
  const graph = observedGraph(record);
  const links: ChainLink[] = [];
  const visited = new Set<string>();
  let current = graph.find(target);
  while (current && !visited.has(current.id)) {
    visited.add(current.id);
    const previous = graph.heldBackBy(current);
    links.push({
      ...current,
      gapUs: previous ? Math.max(0, current.startUs - previous.endUs) : 0,
      inside: graph.inside(current.id),
    });
    current = previous;
  }
  return links;
}

/**
 * What the chain is asked for when nobody says: Node Ready if the boot knows it, else the end of startup (work ordered after
 * the default target, such as cloud-final, is part of it), else the default target.
 */
export function chainTarget(record: BootRecord): string | undefined {
  const reached = new Set(milestonesOf(record).map((m) => m.name));
  return END_POINTS.find((name) => reached.has(name)) ?? defaultTarget(record) ?? lastUnitBy(record)?.name;
}

/** Startup is finished when its last job is, so it ends with whichever unit was up last by then. */
function lastUnitBy(record: BootRecord, atUs = Number.POSITIVE_INFINITY): Unit | undefined {
  let last: { unit: Unit; upUs: number } | undefined;
  for (const unit of record.units) {
    const upUs = unit.activatingUs + startTookUs(unit);
    if (hasStarted(unit) && upUs <= atUs && upUs > (last?.upUs ?? 0)) last = { unit, upUs };
  }
  return last?.unit;
}

type Point = Omit<ChainLink, 'gapUs' | 'inside'>;

function observedGraph(record: BootRecord) {
  const spans = new Map(everySpan(record).map((span) => [span.id, span]));
  const units = new Map(
    record.units.flatMap((unit) => [unit.name, ...(unit.aliases ?? [])].map((name) => [name, unit])),
  );
  const milestones = new Map(milestonesOf(record).map((m) => [m.name as string, m]));
  const children = Map.groupBy(
    [...spans.values()].filter((span) => span.parent !== undefined),
    (span) => span.parent!,
  );
  const extensions = [...spans.values()].filter((span) => span.source === 'extension' || span.source === 'guest-agent');

  const pointOfUnit = (name: string | undefined): Point | undefined => {
    const unit = name === undefined ? undefined : units.get(name);
    return unit && spans.get(unitSpanId(unit.name));
  };
  const pointOfMilestone = (name: string): Point | undefined => {
    const milestone = milestones.get(name);
    if (!milestone) return undefined;
    const { source, atUs } = milestone;
    return { id: `milestone:${name}`, name, source, startUs: atUs, endUs: atUs };
  };

  /** The latest After= neighbour that was up before this one began: one that came up later did not hold it back. */
  const orderedAfter = (point: Point): Point | undefined => {
    let latest: Point | undefined;
    for (const name of units.get(point.name)?.after ?? []) {
      const dependency = pointOfUnit(name);
      if (!dependency || dependency.id === point.id || dependency.endUs > point.startUs) continue;
      if (!latest || dependency.endUs > latest.endUs) latest = dependency;
    }
    return latest;
  };
  /** Units that an agent or extension starts by hand (kubelet, on many clouds) have no ordering that says so. */
  const startedFrom = (point: Point): Point | undefined => {
    let innermost: Span | undefined;
    for (const span of extensions) {
      const isAround = span.startUs <= point.startUs && point.startUs <= span.endUs;
      if (isAround && (!innermost || span.startUs >= innermost.startUs)) innermost = span;
    }
    return innermost && { ...innermost, endUs: Math.min(innermost.endUs, point.startUs) };
  };
  const heldBackBy = (point: Point): Point | undefined => {
    if (point.id === 'milestone:node-ready') return pointOfMilestone('node-registered') ?? kubelet();
    if (point.id === 'milestone:node-registered') return kubelet();
    if (point.id === 'milestone:kubelet-started') return pointOfUnit('kubelet.service');
    if (point.id === 'milestone:startup-finished') return pointOfUnit(lastUnitBy(record, point.startUs)?.name);
    if (point.source === 'extension') return pointOfUnit('walinuxagent.service') ?? pointOfUnit('waagent.service');
    const ordered = orderedAfter(point);
    const starter = point.name === 'kubelet.service' ? startedFrom(point) : undefined;
    return starter && starter.startUs >= (ordered?.endUs ?? 0) ? starter : ordered;
  };
  const kubelet = () => pointOfUnit('kubelet.service') ?? pointOfMilestone('kubelet-started');
  return {
    find: (target: string) => pointOfMilestone(target) ?? pointOfUnit(target) ?? spans.get(target),
    heldBackBy,
    inside: (id: string) => descendants(id, children),
  };
}

function descendants(id: string, children: ReadonlyMap<string, Span[]>): Span[] {
  const found: Span[] = [];
  const seen = new Set([id]);
  const pending = [...(children.get(id) ?? [])];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (seen.has(next.id)) continue;
    seen.add(next.id);
    found.push(next);
    pending.push(...(children.get(next.id) ?? []));
  }
  return found.sort((a, b) => a.startUs - b.startUs);
}

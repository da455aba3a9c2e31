// boot/questions/chain.ts: what held the node back, link by link, from the end of the boot to its beginning? Over everything, not units only.

import { defaultTarget } from '../compat/systemd/default-target.ts';
import { everySpan, unitSpanId } from '../model/everything.ts';
import { LOAD } from '../model/joining-spans.ts';
import { milestonesOf } from '../model/milestones.ts';
import { type BootRecord, hasStarted, type MilestoneName, type Span, startTookUs, type Unit } from '../model/record.ts';

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

/** Modules of cloud-init that run what a user wrote, or install packages whose services start. */
const STARTS_UNITS = /\/config-(?:scripts-|bootcmd|package-update-upgrade-install)/;

/** Two sources that tell of one start agree to this, whole seconds included. */
const RESTARTED_US = 2_000_000;

/** What systemd had queued starts sooner than this after the last thing it waited for; what starts later was asked for later. */
const QUEUED_US = 1_000_000;

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
      inside: graph.inside(current),
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
  return (
    END_POINTS.find((name) => reached.has(name)) ??
    defaultTarget(record) ??
    lastUnitBy(record)?.name ??
    lastStage(record)
  );
}

/** Logs without units: one stage after the other, the last one at the end. */
function lastStage({ spans }: BootRecord): string | undefined {
  const stages = spans.filter((span) => span.parent === undefined);
  return stages.reduce<Span | undefined>((last, span) => (last && last.endUs > span.endUs ? last : span), undefined)
    ?.id;
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
  const scriptWaits = extensions.filter((span) => span.wait !== undefined);
  const stages = [...spans.values()].filter(
    (span) => span.source === 'cloud-init' && (span.parent === undefined || !spans.has(span.parent)),
  );
  const scripts = [...spans.values()].filter((span) => span.source === 'cloud-init' && STARTS_UNITS.test(span.name));
  const joining = [...spans.values()].filter((span) => span.source === 'kubelet' || span.source === 'cluster');

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
      if (span.id === point.id || span.wait !== undefined) continue;
      const isAround = span.startUs <= point.startUs && point.startUs <= span.endUs;
      if (isAround && (!innermost || span.startUs >= innermost.startUs)) innermost = span;
    }
    return innermost && { ...innermost, endUs: Math.min(innermost.endUs, point.startUs) };
  };
  /** What cloud-init's user scripts and packages start has no ordering that says so, and may not have existed when the boot began. */
  const startedByScript = (point: Point): Point | undefined => {
    const script = scripts.find((span) => span.startUs <= point.startUs && point.startUs <= span.endUs);
    const starter = pointOfUnit(script?.unit);
    return starter && { ...starter, endUs: point.startUs };
  };
  /** A script does one thing after the other: the task before it, or what it is part of, if that began later. */
  const taskBefore = (point: Point): Point | undefined => {
    const agent = pointOfUnit('walinuxagent.service') ?? pointOfUnit('waagent.service');
    const previous = lastEnded(extensions, point, agent?.endUs);
    const around = startedFrom(point);
    if (around && around.startUs >= (previous?.endUs ?? 0)) return around;
    return previous ?? agent ?? lastEnded(stages, point);
  };
  /** Its first start: the manager remembers only the last, and a change in place restarts it. */
  const kubelet = (): Point | undefined => {
    const unit = pointOfUnit('kubelet.service');
    const first = spans.get(LOAD) ?? pointOfMilestone('kubelet-started');
    const isRestarted = unit && first && unit.startUs - first.startUs > RESTARTED_US;
    return isRestarted ? { ...unit, startUs: first.startUs, endUs: first.startUs } : (unit ?? first);
  };
  /** From Ready back to the kubelet's start through what it and the cluster say of the time between. */
  const joinedAfter = (point: Point): Point | undefined => {
    const known = kubelet();
    const start = known && known.startUs - point.startUs <= RESTARTED_US ? known : undefined;
    const told = lastEnded([...joining, ...scriptWaits], point, start && start.startUs - (record.clock.errorUs ?? 0));
    const registered = point.id === 'milestone:node-registered' ? undefined : pointOfMilestone('node-registered');
    const isBetween = registered && registered.endUs <= point.startUs && registered.endUs >= (told?.endUs ?? 0);
    if (isBetween) return registered;
    return told ?? (start?.id === point.id ? undefined : start) ?? taskBefore(point) ?? startupBy(point);
  };
  /** Nobody tells of a kubelet: what is known to have come before is the boot. */
  const startupBy = (point: Point): Point | undefined => {
    const finished = pointOfMilestone('startup-finished');
    return finished && finished.endUs <= point.startUs ? finished : undefined;
  };
  /** What a script waits for once it has started the kubelet is the kubelet's doing. */
  const kubeletBy = (point: Point): Point | undefined => {
    const start = kubelet();
    return start && start.endUs <= point.startUs + (record.clock.errorUs ?? 0) ? start : undefined;
  };
  const heldBackBy = (point: Point): Point | undefined => {
    if (point.id === 'milestone:startup-finished') return pointOfUnit(lastUnitBy(record, point.startUs)?.name);
    if (point.source === 'kubelet' || point.source === 'cluster') return joinedAfter(point);
    if (point.source === 'extension')
      return (point.wait === undefined ? undefined : kubeletBy(point)) ?? taskBefore(point);
    if (point.source === 'cloud-init') return lastEnded(stages, point);
    const ordered = orderedAfter(point);
    const starter = point.name === 'kubelet.service' ? startedFrom(point) : undefined;
    if (starter && starter.startUs >= (ordered?.endUs ?? 0)) return starter;
    const isQueued = ordered !== undefined && point.startUs - ordered.endUs < QUEUED_US;
    return (isQueued ? undefined : startedByScript(point)) ?? ordered;
  };
  const inside = (point: Point): Span[] => {
    // A link may end before the span it is of: where it started the next one.
    const parts = descendants(point.id, children).filter(
      (span) => span.startUs < point.endUs || span.endUs <= point.endUs,
    );
    if (!joining.some((span) => span.id === point.id)) return parts;
    // What the node waited for on its way to Ready is told beside the way: by the kubelet, the cluster or a script.
    const waits = [...joining, ...scriptWaits].filter(
      (span) => span.wait !== undefined && span.startUs < point.endUs && span.endUs > point.startUs,
    );
    return [...new Set([...parts, ...waits])].filter((span) => span.id !== point.id);
  };
  return {
    find: (target: string) => pointOfMilestone(target) ?? pointOfUnit(target) ?? spans.get(target),
    heldBackBy,
    inside,
  };
}

/** The latest to end before the point begins, the longest of those on a tie; what began before `fromUs` is another story. */
function lastEnded(spans: readonly Span[], point: Point, fromUs = Number.NEGATIVE_INFINITY): Span | undefined {
  let last: Span | undefined;
  for (const span of spans) {
    if (span.id === point.id || span.endUs > point.startUs || span.startUs < fromUs) continue;
    const isLater = !last || span.endUs > last.endUs || (span.endUs === last.endUs && span.startUs < last.startUs);
    if (isLater) last = span;
  }
  return last;
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

// boot/questions/chain-points.ts: what can be a link of the chain, and how is a link found by name?
import { everySpan, unitSpanId } from '../model/all-spans.ts';
import { failedJobs } from '../model/causes/failures.ts';
import { milestonesOf } from '../model/milestones.ts';
import type { BootRecord, Milestone, Span, Unit } from '../model/record.ts';
import { CLAIM_STEP } from '../model/since-claim.ts';

/** A unit, a span or a milestone. */
export interface Point {
  /** A span id of `everySpan`, or `milestone:NAME`. */
  id: string;
  name: string;
  source: Span['source'];
  startUs: number;
  endUs: number;
  wait?: string;
  result?: Span['result'];
  failure?: string;
  startedBy?: string;
}

/** A boot's spans, indexed once for all links. */
export interface ChainPoints {
  record: BootRecord;
  spans: ReadonlyMap<string, Span>;
  /** By name and by alias. */
  units: ReadonlyMap<string, Unit>;
  milestones: ReadonlyMap<string, Milestone>;
  /** By unit: jobs that failed, so that the unit never started. */
  failedJobs: ReadonlyMap<string, Span>;
  /** Spans by the id of their parent. */
  children: ReadonlyMap<string, Span[]>;
  /** Spans of the guest agent and of extensions. */
  agentTasks: readonly Span[];
  /** cloud-init's top-level spans. */
  stages: readonly Span[];
  /** cloud-init modules that may start units. */
  startingModules: readonly Span[];
  /** Spans that kubelet and the cluster report until Ready. */
  joining: readonly Span[];
  /** `joining`, and the waits of extension scripts. */
  joiningAndWaits: readonly Span[];
}

/** cloud-init modules that run user scripts, or install packages with services that start. */
const STARTS_UNITS = /\/config-(?:scripts-|bootcmd|package-update-upgrade-install)/;

export function chainPoints(record: BootRecord): ChainPoints {
  const all = everySpan(record);
  const spans = new Map(all.map((span) => [span.id, span]));
  const unique = [...spans.values()];
  const cloudInit = unique.filter((span) => span.source === 'cloud-init');
  const agentTasks = unique.filter((span) => span.source === 'extension' || span.source === 'guest-agent');
  const joining = unique.filter(isJoinSpan);
  return {
    record,
    spans,
    units: new Map(record.units.flatMap((unit) => [unit.name, ...(unit.aliases ?? [])].map((name) => [name, unit]))),
    milestones: new Map(milestonesOf(record).map((milestone) => [milestone.name, milestone])),
    failedJobs: failedJobs(record),
    children: Map.groupBy(
      unique.filter((span) => span.parent !== undefined),
      (span) => span.parent!,
    ),
    agentTasks,
    stages: cloudInit.filter((span) => span.parent === undefined || !spans.has(span.parent)),
    startingModules: cloudInit.filter((span) => STARTS_UNITS.test(span.name)),
    joining,
    joiningAndWaits: [...joining, ...agentTasks.filter((span) => span.wait !== undefined)],
  };
}

/** The steps of a claim follow each other to Ready like those of kubelet. */
export function isJoinSpan({ source, id }: Pick<Point, 'source' | 'id'>): boolean {
  return source === 'kubelet' || source === 'cluster' || id.startsWith(CLAIM_STEP);
}

/** `name`: a milestone, a unit or a span id, in this order of preference. */
export function pointNamed(points: ChainPoints, name: string): Point | undefined {
  return milestonePoint(points, name) ?? unitPoint(points, name) ?? points.spans.get(name);
}

export function unitPoint({ units, spans }: ChainPoints, name: string): Point | undefined {
  const unit = units.get(name);
  return unit && spans.get(unitSpanId(unit.name));
}

export function milestonePoint({ milestones }: ChainPoints, name: string): Point | undefined {
  const milestone = milestones.get(name);
  if (!milestone) return undefined;
  const { source, atUs } = milestone;
  return { id: milestoneId(name), name, source, startUs: atUs, endUs: atUs };
}

export function milestoneId(name: string): string {
  return `milestone:${name}`;
}

/** The span that ended last before the point begins; the longest on a tie. Ignores spans that began before `fromUs`. */
export function lastEnded(spans: readonly Span[], point: Point, fromUs = Number.NEGATIVE_INFINITY): Span | undefined {
  let last: Span | undefined;
  for (const span of spans) {
    if (span.id === point.id || span.endUs > point.startUs || span.startUs < fromUs) continue;
    const isLater = !last || span.endUs > last.endUs || (span.endUs === last.endUs && span.startUs < last.startUs);
    if (isLater) last = span;
  }
  return last;
}

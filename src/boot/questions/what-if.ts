// boot/questions/what-if.ts: how long would a boot have taken with these edits? Re-times the recorded units and spans; runs nothing.
import { UserError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest-names.ts';
import { knownUserspaceUs, latestEndUs } from '../model/order-graph.ts';
import { type BootRecord, MILESTONE_NAMES, type SpanSource } from '../model/record.ts';
import { criticalPath, type RetimedGraph, retime } from '../model/retime.ts';
import { applyEdits, type EditedGraph } from './apply-edits.ts';
import { chainTarget } from './chain.ts';
import { milestoneId } from './chain-points.ts';
import { named } from './edit-names.ts';
import { renderEdit, type WhatIfEdit } from './edits.ts';
import { isPastedChain, numberOfPoint, type PointGraph, pointGraph } from './point-graph.ts';
import { assumptionOf } from './what-if-assumption.ts';

export interface WhatIf {
  target: string;
  /** Times are µs on the record's clock, as in timeline and chain. `sinceUserspaceUs` counts from userspace, like systemd-analyze. */
  clock: { zero: BootRecord['clock']['zero']; userspaceUs?: number };
  before: TargetTime;
  after: TargetTime;
  savedUs: number;
  /** Target first; each link waited for the next one in the list. */
  chain: WhatIfLink[];
  edits: (WhatIfEdit & { text: string })[];
  assumption: string;
  notes: string[];
}

export interface TargetTime {
  targetUs: number;
  sinceUserspaceUs?: number;
}

export interface WhatIfLink {
  /** The unit, or the name of the span or milestone. */
  unit: string;
  source: SpanSource;
  startUs: number;
  endUs: number;
  tookUs: number;
  /** Observed time from the end of the last dependency to the unit's start. */
  delayUs: number;
}

export function whatIf(record: BootRecord, edits: readonly WhatIfEdit[], wanted?: string): WhatIf {
  const recorded = pointGraph(record);
  const known = knownUnits(record);
  const target = targetOf(record, recorded, known, { wanted, edits });
  const before = applyEdits(
    recorded,
    edits.filter((edit) => edit.kind === 'add'),
    known,
  );
  const after = applyEdits(recorded, edits, known);
  refuseMaskedTarget(after, target);
  const timedBefore = retimeOrThrow(before.graph);
  const timedAfter = retimeOrThrow(after.graph);
  const beforeUs = timedBefore.endUs[target]!;
  const afterUs = timedAfter.endUs[target]!;
  const userspaceUs = knownUserspaceUs(record);
  const instant = (targetUs: number): TargetTime => ({
    targetUs,
    ...(userspaceUs !== undefined && { sinceUserspaceUs: targetUs - userspaceUs }),
  });
  return {
    target: before.graph.names[target]!,
    clock: { zero: record.clock.zero, ...(userspaceUs !== undefined && { userspaceUs }) },
    before: instant(beforeUs),
    after: instant(afterUs),
    savedUs: beforeUs - afterUs,
    chain: criticalPath(after.graph, timedAfter, target).map((u) => linkOf(after.graph, timedAfter, u)),
    edits: edits.map((edit) => ({ ...edit, text: renderEdit(edit) })),
    assumption: assumptionOf(edits),
    notes: [
      ...after.notes,
      ...after.breaks,
      ...brokenRequirements(record, after),
      ...limitsOf(record, recorded, before.graph.names[target]!),
    ],
  };
}

export function knownUnits(record: BootRecord): Set<string> {
  const known = new Set<string>();
  for (const unit of record.units) {
    known.add(unit.name);
    for (const alias of unit.aliases ?? []) known.add(alias);
  }
  return known;
}

/** The index of the requested milestone, unit or span. Default: the end of the boot, as timeline and chain show it. */
export function targetOf(
  record: BootRecord,
  graph: PointGraph,
  known: ReadonlySet<string>,
  { wanted, edits }: { wanted: string | undefined; edits: readonly WhatIfEdit[] },
): number {
  if (graph.names.length === graph.points.milestones.size) {
    throw new UserError('the recording has no unit times, so there is nothing to re-time', {
      code: 'boot/no-units',
      next: 'pass `systemctl show` of all units, a plot or a critical-chain listing with -i; `headstart boot collect` collects them',
    });
  }
  const name = wanted ?? chainTarget(record);
  // The indexes of added units follow those of the recording, in the order of the edits.
  const added = edits.filter((edit) => edit.kind === 'add').findIndex(({ unit }) => unit === name);
  if (added !== -1) return graph.names.length + added;
  const milestone = name === undefined ? undefined : graph.numberOfId.get(milestoneId(name));
  if (milestone !== undefined) return milestone;
  if (wanted === undefined) return numberOfName(graph, name) ?? lastUp(graph);
  if (MILESTONE_NAMES.some((one) => one === wanted)) throw notReached(graph, wanted);
  const target = namedTarget(graph, wanted, known);
  if (target !== undefined) return target;
  throw new UserError(`${wanted} did not run in this boot, so there is nothing to re-time`, {
    code: 'boot/target-never-ran',
    next: 'set --target to a unit that ran',
  });
}

function numberOfName({ numberOf, numberOfId }: PointGraph, name = ''): number | undefined {
  return numberOf.get(name) ?? numberOfId.get(name);
}

function namedTarget(graph: PointGraph, wanted: string, known: ReadonlySet<string>): number | undefined {
  const nearMilestone = didYouMean(wanted, new Set(graph.points.milestones.keys()));
  if (nearMilestone !== '' && !graph.numberOf.has(wanted) && !known.has(wanted) && !wanted.includes('.')) {
    throw new UserError(`the recording has no unit or milestone ${wanted}${nearMilestone}`, {
      code: 'boot/no-such-unit',
      next: `choose a unit, or one of ${[...graph.points.milestones.keys()].join(', ')}`,
    });
  }
  const { units, spans } = named(graph, wanted, known, 'set');
  return units[0] ?? (spans[0] && numberOfPoint(graph, spans[0]));
}

function notReached({ points }: PointGraph, milestone: string): UserError {
  return new UserError(`the recording does not have the milestone ${milestone}`, {
    code: 'boot/target-never-ran',
    next: `set --target to a unit, or to one of ${[...points.milestones.keys()].join(', ') || 'the units'}`,
  });
}

function lastUp(graph: PointGraph): number {
  const { endUs } = retimeOrThrow(graph);
  return endUs.reduce((best, us, u) => (us > endUs[best]! ? u : best), 0);
}

export function retimeOrThrow(graph: PointGraph): RetimedGraph {
  const timed = retime(graph);
  if (!('cycle' in timed)) return timed;
  throw new UserError(`these edits create an ordering cycle: ${timed.cycle.join(' after ')}`, {
    code: 'boot/ordering-cycle',
    next: 'drop one of those orderings with --drop-after, or leave out the --after that closes the cycle',
  });
}

export function refuseMaskedTarget({ graph, masked }: EditedGraph, target: number): void {
  if (!masked.has(target)) return;
  throw new UserError(`${graph.names[target]} is both the target and masked, so it would never be reached`, {
    code: 'boot/target-masked',
    next: 'choose another --target',
  });
}

export function linkOf(graph: PointGraph, { startUs, endUs }: RetimedGraph, u: number): WhatIfLink {
  return {
    unit: graph.names[u]!,
    source: graph.sources[u]!,
    startUs: startUs[u]!,
    endUs: endUs[u]!,
    tookUs: endUs[u]! - startUs[u]!,
    delayUs: startUs[u]! - latestEndUs(graph.after[u]!, endUs, graph.floorUs[u]!),
  };
}

/** A unit that requires a masked unit fails, which re-timing does not show. */
function brokenRequirements(record: BootRecord, edited: EditedGraph): string[] {
  if (edited.masked.size === 0) return [];
  const masked = new Set([...edited.masked].map((u) => edited.graph.names[u]!));
  return record.units.flatMap((unit) => {
    const needed = [unit.requires, unit.requisite, unit.bindsTo].flatMap((names) => names ?? []);
    const lost = needed.find((name) => masked.has(name));
    return lost === undefined || masked.has(unit.name) || unit.activatingUs === 0
      ? []
      : [`masking ${lost} would make ${unit.name} fail, which requires it`];
  });
}

/** Notes about this recording that limit how reliable the answer is. */
export function limitsOf(record: BootRecord, graph: PointGraph, target: string): string[] {
  const notes: string[] = [...graph.notes];
  if (record.units.length > 0 && record.units.every((unit) => unit.after.length === 0)) {
    notes.push('the recording has no After= edges: only durations can be edited');
  } else if (isPastedChain(record)) {
    notes.push(
      'a pasted critical chain shows one After= per unit: other dependencies are unknown, so the savings are upper bounds',
    );
  }
  const { units } = graph.points.record; // with the first start of kubelet
  const unit = units.find((candidate) => candidate.name === target);
  const finishUs = record.manager?.finishUs ?? 0;
  if (unit && finishUs > 0 && unit.activatingUs > finishUs) {
    notes.push(
      `${target} was started after the boot finished (restarted, or manually): its times do not belong to the boot`,
    );
  }
  if (unit && unit.activatedUs < unit.activatingUs && unit.deactivatedUs < unit.activatingUs) {
    notes.push(`${target} was still starting when the boot was recorded: it counts as taking no time`);
  }
  const trigger = graph.triggered.get(target);
  if (trigger !== undefined)
    notes.push(`${target} was started by ${trigger}: edits of units that only ran before it do not move it`);
  return notes;
}

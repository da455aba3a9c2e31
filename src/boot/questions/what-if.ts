// boot/questions/what-if.ts: how long would a boot have taken with these edits? Re-times the recorded units; runs nothing.
import { UserError } from '../../base/errors.ts';
import { askedUnit } from '../model/default-target.ts';
import { knownUserspaceUs, latestEndUs, type OrderGraph, orderGraph } from '../model/order-graph.ts';
import type { BootRecord } from '../model/record.ts';
import { criticalPath, type RetimedGraph, retime } from '../model/retime.ts';
import { applyEdits, type EditedGraph, renderEdit, unitIndexOrThrow, type WhatIfEdit } from './edits.ts';

export interface WhatIf {
  target: string;
  /** Times are µs on the record's clock. `sinceUserspaceUs` counts from userspace, like systemd-analyze. */
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
  unit: string;
  startUs: number;
  endUs: number;
  tookUs: number;
  /** Observed time from the end of the last dependency to the unit's start. */
  delayUs: number;
}

export const ASSUMPTION =
  'every unit starts its observed delay after its last remaining After= dependency has finished, and takes its observed time; ' +
  'masking a unit removes its ordering (After= does not reach through a unit that is not started), but units that it ' +
  'pulls in still run; contention for CPU, disk and network, and waits that no After= explains, do not change';

export function whatIf(record: BootRecord, edits: readonly WhatIfEdit[], wanted?: string): WhatIf {
  const recorded = orderGraph(record);
  const known = knownUnits(record);
  const before = applyEdits(
    recorded,
    edits.filter((edit) => edit.kind === 'add'),
    known,
  );
  const after = applyEdits(recorded, edits, known);
  const target = targetOf(record, before.graph, known, wanted);
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
    assumption: ASSUMPTION,
    notes: [...after.notes, ...brokenRequirements(record, after), ...limitsOf(record, before.graph.names[target]!)],
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

/** The index of the requested unit. Default: the root of a pasted listing or the boot's default target, else the unit that became active last. */
export function targetOf(record: BootRecord, graph: OrderGraph, known: ReadonlySet<string>, wanted?: string): number {
  if (graph.names.length === 0) {
    throw new UserError('the recording has no unit times, so there is nothing to re-time', {
      code: 'boot/no-units',
      next: 'pass `systemctl show` of all units, a plot or a critical-chain listing with -i; `headstart boot collect` collects them',
    });
  }
  if (wanted === undefined) return graph.numberOf.get(askedUnit(record) ?? '') ?? lastUp(graph);
  const target = unitIndexOrThrow(graph, wanted, known);
  if (target !== undefined) return target;
  throw new UserError(`${wanted} did not run in this boot, so there is nothing to re-time`, {
    code: 'boot/target-never-ran',
    next: 'set --target to a unit that ran',
  });
}

function lastUp(graph: OrderGraph): number {
  const { endUs } = retimeOrThrow(graph);
  return endUs.reduce((best, us, u) => (us > endUs[best]! ? u : best), 0);
}

export function retimeOrThrow(graph: OrderGraph): RetimedGraph {
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

export function linkOf(graph: OrderGraph, { startUs, endUs }: RetimedGraph, u: number): WhatIfLink {
  return {
    unit: graph.names[u]!,
    startUs: startUs[u]!,
    endUs: endUs[u]!,
    tookUs: graph.tookUs[u]!,
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
export function limitsOf(record: BootRecord, target: string): string[] {
  const notes: string[] = [];
  const kinds = new Set(record.sources.map((source) => source.kind));
  if (record.units.every((unit) => unit.after.length === 0)) {
    notes.push('the recording has no After= edges: only durations can be edited');
  } else if (kinds.has('analyze-critical-chain') && !kinds.has('systemctl-units') && !kinds.has('analyze-plot-svg')) {
    notes.push(
      'a pasted critical chain shows one After= per unit: other dependencies are unknown, so the savings are upper bounds',
    );
  }
  const unit = record.units.find((candidate) => candidate.name === target);
  const finishUs = record.manager?.finishUs ?? 0;
  if (unit && finishUs > 0 && unit.activatingUs > finishUs) {
    notes.push(
      `${target} was started after the boot finished (restarted, or manually): its times do not belong to the boot`,
    );
  }
  if (unit && unit.activatedUs < unit.activatingUs && unit.deactivatedUs < unit.activatingUs) {
    notes.push(`${target} was still starting when the boot was recorded: it counts as taking no time`);
  }
  return notes;
}

// boot/questions/apply-edits.ts: how do edits change the graph of a boot, and what would they break?
import { formatSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import { unitSpanId } from '../model/all-spans.ts';
import { KUBELET_UNIT } from '../model/known-units.ts';
import { stopName } from '../model/order-graph.ts';
import type { Span } from '../model/record.ts';
import { descendants } from './chain-inside.ts';
import { isJoinSpan } from './chain-points.ts';
import { named, unitIndexOrThrow } from './edit-names.ts';
import { renderEdit, type WhatIfEdit } from './edits.ts';
import { isPlatformWait, type PointGraph } from './point-graph.ts';
import { savedByCuts } from './span-cuts.ts';

export interface EditedGraph {
  graph: PointGraph;
  /** Still in the graph, but no unit waits for them. */
  masked: ReadonlySet<number>;
  /** Edits that had no or less effect, and why. */
  notes: string[];
  /** Why kubelet would not start any more. It keeps its time, because the model cannot know what would start it. */
  breaks: string[];
  /** Units that nothing would start any more. */
  lost: string[];
}

interface Draft extends EditedGraph {
  masked: Set<number>;
  /** New durations of spans. */
  cuts: Map<string, { span: Span; tookUs: number }>;
}

/** Applies the edits in order to a copy of the graph. `known` includes units that never ran. */
export function applyEdits(before: PointGraph, edits: readonly WhatIfEdit[], known: ReadonlySet<string>): EditedGraph {
  const adds = edits.filter((edit) => edit.kind === 'add');
  const draft = draftOf(before, adds.length > 0);
  // Added units first: other edits and other added units may refer to them.
  addUnits(draft, adds, known);
  for (const edit of edits) {
    if (edit.kind === 'set' || edit.kind === 'without') applyToNamed(draft, edit, known);
    else if (edit.kind !== 'add') applyToUnit(draft, edit, known);
  }
  shortenContainers(draft);
  dropMasked(draft);
  const { graph, masked, notes, breaks, lost } = draft;
  return { graph, masked, notes: [...new Set(notes)], breaks: [...new Set(breaks)], lost: [...new Set(lost)] };
}

function draftOf(before: PointGraph, isGrowing: boolean): Draft {
  const own = isGrowing
    ? {
        names: [...before.names],
        numberOf: new Map(before.numberOf),
        floorUs: [...before.floorUs],
        delayUs: [...before.delayUs],
        startUs: [...before.startUs],
        sources: [...before.sources],
        ids: [...before.ids],
      }
    : {};
  const graph: PointGraph = { ...before, ...own, after: [...before.after], tookUs: [...before.tookUs] };
  return { graph, masked: new Set(), notes: [], breaks: [], lost: [], cuts: new Map() };
}

function addUnits(
  { graph, notes }: Draft,
  adds: readonly (WhatIfEdit & { kind: 'add' })[],
  known: ReadonlySet<string>,
): void {
  for (const edit of adds) addUnit(graph, edit);
  for (const edit of adds) {
    const after = edit.after.map((name) => ({ name, d: unitIndexOrThrow(graph, name, known) }));
    for (const { name, d } of after)
      if (d === undefined) notes.push(`${name} did not run in this boot: waiting for it takes no time`);
    graph.after[graph.numberOf.get(edit.unit)!] = [...new Set(after.map(({ d }) => d).filter((d) => d !== undefined))];
  }
}

function addUnit(graph: PointGraph, { unit, tookUs }: WhatIfEdit & { kind: 'add' }): void {
  if (graph.numberOf.has(unit)) {
    throw new UserError(`--add '${unit}': the recording already has this unit`, {
      code: 'boot/unit-exists',
      next: `change it with --after '${unit} …', --drop-after '${unit} …' or --set '${unit}=…'`,
    });
  }
  graph.numberOf.set(unit, graph.names.length);
  graph.names.push(unit);
  graph.after.push([]);
  graph.floorUs.push(graph.earliestUs);
  graph.delayUs.push(0);
  graph.tookUs.push(tookUs);
  graph.startUs.push(graph.earliestUs);
  graph.sources.push('systemd');
  graph.ids.push(unitSpanId(unit));
}

type UnitEdit = Extract<WhatIfEdit, { kind: 'after' | 'drop-after' | 'mask' }>;

function applyToUnit(draft: Draft, edit: UnitEdit, known: ReadonlySet<string>): void {
  const { graph, notes } = draft;
  const u = unitIndexOrThrow(graph, edit.unit, known);
  const d = 'dependency' in edit ? unitIndexOrThrow(graph, edit.dependency, known) : undefined;
  if (u === undefined) {
    notes.push(`${edit.unit} did not run in this boot: ${renderEdit(edit)} has no effect`);
  } else if (edit.kind === 'mask') {
    removeUnit(draft, u);
  } else if (d === undefined) {
    notes.push(`${edit.dependency} did not run in this boot: ${renderEdit(edit)} has no effect`);
  } else if (edit.kind === 'after') {
    const isKnown = graph.after[u]!.includes(d);
    for (const one of isKnown ? [] : withShadows(graph, u)) graph.after[one] = [...graph.after[one]!, d];
  } else {
    if (!graph.after[u]!.includes(d)) notes.push(whyNothingToDrop(graph, u, d));
    for (const one of withShadows(graph, u)) graph.after[one] = graph.after[one]!.filter((other) => other !== d);
  }
}

function whyNothingToDrop({ names, startedBy, triggered }: PointGraph, u: number, d: number): string {
  const [unit, dependency] = [names[u]!, names[d]!];
  if (startedBy.get(u) === d)
    return `${unit} was started by a script of ${dependency}, not by its ordering: nothing to drop`;
  const trigger = triggered.get(unit);
  if (trigger !== undefined) return `${unit} was started by ${trigger}, not by its ordering: nothing to drop`;
  return `${unit} did not wait for ${dependency}: nothing to drop`;
}

function withShadows({ shadows }: PointGraph, u: number): number[] {
  return [u, ...(shadows.get(u) ?? [])];
}

function applyToNamed(
  draft: Draft,
  edit: Extract<WhatIfEdit, { kind: 'set' | 'without' }>,
  known: ReadonlySet<string>,
): void {
  const { graph, notes, cuts } = draft;
  const { units, spans } = named(graph, edit.unit, known, edit.kind);
  if (units.length + spans.length === 0)
    notes.push(`${edit.unit} did not run in this boot: ${renderEdit(edit)} has no effect`);
  for (const u of units) {
    if (edit.kind === 'without') removeUnit(draft, u);
    else setUnit(draft, u, edit.tookUs);
  }
  for (const span of spans) {
    if (span.wait !== undefined && isPlatformWait(span.wait)) {
      notes.push(`${span.name} is a wait (${span.wait}): no edit of the node makes it shorter`);
      continue;
    }
    if (edit.kind === 'without') loseStarted(draft, span.name, (unit) => isDuring(graph, unit, span));
    if (span.wait !== undefined) notes.push(waitNote(span.name, span.wait, span.endUs - span.startUs));
    cuts.set(span.id, { span, tookUs: edit.kind === 'set' ? edit.tookUs : 0 });
  }
}

function isDuring({ startUs }: PointGraph, u: number, span: Span): boolean {
  return span.startUs <= startUs[u]! && startUs[u]! <= span.endUs;
}

function setUnit({ graph, notes }: Draft, u: number, tookUs: number): void {
  noteWait(graph, u, notes);
  for (const one of withShadows(graph, u)) {
    graph.tookUs[one] = one === u ? tookUs : Math.min(graph.tookUs[one]!, tookUs);
  }
}

/** If the platform decided when the unit was done, or only part of the ordering is known, ordering passes through the unit. */
function removeUnit(draft: Draft, u: number): void {
  const { graph, notes, masked } = draft;
  noteWait(graph, u, notes);
  if (graph.isPartial || graph.holds.has(u)) {
    graph.tookUs[u] = 0;
    masked.add(u);
    return;
  }
  masked.add(u);
  const stop = graph.numberOf.get(stopName(graph.names[u]!));
  if (stop !== undefined) masked.add(stop);
  loseStarted(draft, graph.names[u]!, (_, starter) => starter === u);
  for (const [unit, trigger] of graph.triggered) {
    const triggered = graph.numberOf.get(unit);
    if (trigger === graph.names[u] && triggered !== undefined) loseUnit(draft, triggered, trigger);
  }
}

function noteWait(graph: PointGraph, u: number, notes: string[]): void {
  const hold = graph.holds.get(u);
  const wait = graph.waits.get(u);
  if (hold) {
    const heldUs = hold.untilUs - graph.startUs[u]!;
    notes.push(
      `${graph.names[u]} waited ${formatSpan(heldUs)} (${hold.reason}): no edit of the node makes this wait shorter`,
    );
  } else if (wait !== undefined) notes.push(waitNote(graph.names[u]!, wait, graph.tookUs[u]!));
}

function waitNote(name: string, wait: string, tookUs: number): string {
  return `the ${formatSpan(tookUs)} of ${name} are a wait (${wait}): what needs this would wait or fail instead`;
}

/** What a removed script or task started does not start. */
function loseStarted(draft: Draft, name: string, isAffected: (unit: number, starter: number) => boolean): void {
  for (const [unit, starter] of draft.graph.startedBy) if (isAffected(unit, starter)) loseUnit(draft, unit, name);
}

function loseUnit(draft: Draft, u: number, starter: string): void {
  const { graph, masked, notes, breaks, lost } = draft;
  const unit = graph.names[u]!;
  if (unit === KUBELET_UNIT) {
    breaks.push(`${starter} started ${unit}: without it, nothing in this boot starts ${unit}, whose time is kept here`);
  } else if (!masked.has(u)) {
    notes.push(`${starter} started ${unit}: without it, ${unit} does not start`);
    lost.push(unit);
    removeUnit(draft, u);
  }
}

/** A stage ends earlier by the time that its removed modules took, and so does its unit. */
function shortenContainers({ graph, cuts }: Draft): void {
  if (cuts.size === 0) return;
  const { points, numberOfId } = graph;
  for (const id of containersOf(graph, cuts)) {
    const u = numberOfId.get(id);
    if (u === undefined) continue;
    const own = points.spans.get(id)!;
    const parts = descendants(id, points.children);
    const inTime = isJoinSpan(own)
      ? points.joiningAndWaits.filter(({ startUs, endUs }) => startUs >= own.startUs && endUs <= own.endUs)
      : [];
    for (const one of withShadows(graph, u)) {
      const window = { startUs: graph.startUs[one]!, endUs: graph.startUs[one]! + graph.tookUs[one]! };
      const savedUs = savedByCuts(window, [...cuts.values()], [...new Set([own, ...parts, ...inTime])]);
      graph.tookUs[one] = Math.max(0, graph.tookUs[one]! - savedUs);
    }
  }
}

/** The cut spans, what they are inside by parent, and the steps to Ready that they are inside by time. */
function containersOf({ points }: PointGraph, cuts: Draft['cuts']): Set<string> {
  const found = new Set<string>();
  for (const { span } of cuts.values()) {
    for (let one: Span | undefined = span; one && !found.has(one.id); ) {
      found.add(one.id);
      one = one.parent === undefined ? undefined : points.spans.get(one.parent);
    }
    if (!points.joiningAndWaits.includes(span)) continue;
    for (const around of points.joining) {
      if (around.startUs <= span.startUs && span.endUs <= around.endUs) found.add(around.id);
    }
  }
  return found;
}

function dropMasked({ graph, masked }: Draft): void {
  const isGone = new Uint8Array(graph.names.length);
  let gone = 0;
  for (const u of masked) {
    if (graph.isPartial || graph.holds.has(u)) continue;
    isGone[u] = 1;
    gone++;
  }
  if (gone === 0) return;
  for (const [u, deps] of graph.after.entries()) {
    if (isGone[u]) graph.after[u] = [];
    else if (deps.some((d) => isGone[d])) graph.after[u] = deps.filter((d) => !isGone[d]);
  }
}

// boot/compat/systemd/critical-chain.ts: which chain of units made the target start as late as it did?

import { defaultTarget, namedUnit } from '../../model/default-target.ts';
import type { BootRecord, Unit } from '../../model/record.ts';

export interface ChainNode {
  name: string;
  /** Undefined only for an unknown target. */
  unit?: Unit;
  /** 0 = the target. */
  depth: number;
  /** The index of the node that waited for this one; -1 for the target. */
  parent: number;
  /** The last child of its parent. */
  isLast: boolean;
  /** Listed earlier with its chain, which is not repeated here. */
  isRepeat: boolean;
}

export interface ChainOptions {
  /** Default: the boot's default target. */
  target?: string;
  /** Also follow units that were done at most this long before the latest. */
  fuzzUs?: number;
}

/**
 * The target, followed depth first by the units it waited for last. A unit waits for the units in its After= that
 * finished starting before it started; a unit that finished later was restarted and cannot have delayed it. A failed
 * unit delayed it until the failure. Works on any graph, without recursion, so a deep chain cannot overflow the stack.
 */
export function criticalChain(record: BootRecord, { target, fuzzUs = 0 }: ChainOptions = {}): ChainNode[] {
  const rootName = target ?? defaultTarget(record);
  if (rootName === undefined) return [];
  const units = unitsByName(record);
  const root = namedUnit(record, rootName);
  return walkChain({ name: root?.name ?? rootName, unit: root }, (node) => {
    if (!node.unit) return [];
    return latestWithFuzz(blockersOf(node.unit, units, record), doneUs, fuzzUs).map((unit) => ({
      name: unit.name,
      unit,
    }));
  });
}

/** When a unit finished starting: became active, or failed or ended without becoming active. 0 = unknown. */
export function doneUs(unit: Unit): number {
  if (unit.activatedUs > 0 && unit.activatedUs >= unit.activatingUs) return unit.activatedUs;
  return unit.activatingUs > 0 && unit.deactivatedUs >= unit.activatingUs ? unit.deactivatedUs : 0;
}

export interface ChainStart {
  name: string;
  unit?: Unit | undefined;
}

/** Depth first. Expands each name once, because a real graph may contain cycles and diamonds. */
export function walkChain(root: ChainStart, waitedFor: (node: ChainStart) => ChainStart[]): ChainNode[] {
  const nodes: ChainNode[] = [];
  const expanded = new Set<string>();
  const stack: (ChainStart & Pick<ChainNode, 'depth' | 'parent' | 'isLast'>)[] = [
    { ...root, depth: 0, parent: -1, isLast: true },
  ];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { name, unit, depth, parent, isLast } = next;
    const isRepeat = expanded.has(name);
    const index = nodes.push({ name, ...(unit && { unit }), depth, parent, isLast, isRepeat }) - 1;
    if (isRepeat) continue;
    expanded.add(name);
    const children = waitedFor(next);
    for (let i = children.length - 1; i >= 0; i--) {
      stack.push({ ...children[i]!, depth: depth + 1, parent: index, isLast: i === children.length - 1 });
    }
  }
  return nodes;
}

/** The units within `fuzzUs` of the latest one, latest first; ties in their given order. */
export function latestWithFuzz<T>(units: readonly T[], timeOf: (unit: T) => number, fuzzUs: number): T[] {
  let latestUs = 0;
  for (const unit of units) latestUs = Math.max(latestUs, timeOf(unit));
  if (latestUs === 0) return [];
  return units
    .filter((unit) => timeOf(unit) > 0 && latestUs - timeOf(unit) <= fuzzUs)
    .sort((a, b) => timeOf(b) - timeOf(a));
}

/** In a record built from text, After= may contain aliases. */
function unitsByName(record: BootRecord): Map<string, Unit> {
  const units = new Map<string, Unit>();
  for (const unit of record.units) for (const alias of unit.aliases ?? []) units.set(alias, unit);
  for (const unit of record.units) units.set(unit.name, unit);
  return units;
}

function blockersOf(unit: Unit, units: Map<string, Unit>, record: BootRecord): Unit[] {
  const finishUs = record.manager?.finishUs || Number.POSITIVE_INFINITY;
  // A unit that has not started waits for everything that finished before the end of the boot.
  const beganUs = unit.activatingUs || unit.activatedUs || finishUs;
  const found = new Set<Unit>();
  for (const name of unit.after) {
    const other = units.get(name);
    if (other && other !== unit && doneUs(other) > 0 && doneUs(other) <= beganUs) found.add(other);
  }
  return [...found];
}

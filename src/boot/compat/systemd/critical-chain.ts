// boot/compat/systemd/critical-chain.ts: which chain of units made the target start as late as it did?

import { defaultTarget, namedUnit } from '../../model/default-target.ts';
import type { BootRecord, Unit } from '../../model/record.ts';

export interface ChainNode {
  name: string;
  /** What is known of it; the target itself may be unknown. */
  unit?: Unit;
  /** 0 = the target. */
  depth: number;
  /** Where the unit that waited for this one is in the list; -1 for the target. */
  parent: number;
  /** The last of the units its parent waited for. */
  isLast: boolean;
  /** Shown further up with its own chain, which is not repeated here. */
  isRepeat: boolean;
}

export interface ChainOptions {
  /** Default: the boot's default target. */
  target?: string;
  /** Also follow units that were done at most this long before the latest. */
  fuzzUs?: number;
}

/**
 * The target, then, depth first, the units it waited for last. A unit waits for those of its After= that were done
 * starting when it began; one that was done later (restarted since) cannot have held it back. A unit that failed held
 * it back until it failed. Total on any graph; no recursion, so depth costs no stack.
 */
export function criticalChain(record: BootRecord, { target, fuzzUs = 0 }: ChainOptions = {}): ChainNode[] {
  const rootName = target ?? defaultTarget(record);
  if (rootName === undefined) return [];
  const units = unitsByName(record);
  const root = namedUnit(record, rootName);
  return walkChain({ name: root?.name ?? rootName, unit: root }, (node) => {
    if (!node.unit) return [];
    return latestWithFuzz(heldBackBy(node.unit, units, record), doneUs, fuzzUs).map((unit) => ({
      name: unit.name,
      unit,
    }));
  });
}

/** When a unit was done starting: became active, or failed or finished without ever being active. 0 = not known. */
export function doneUs(unit: Unit): number {
  if (unit.activatedUs > 0 && unit.activatedUs >= unit.activatingUs) return unit.activatedUs;
  return unit.activatingUs > 0 && unit.deactivatedUs >= unit.activatingUs ? unit.deactivatedUs : 0;
}

export interface ChainStart {
  name: string;
  unit?: Unit | undefined;
}

/** Depth-first, each name expanded once for the whole chain: an observed graph may hold cycles and diamonds. */
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

/** Those within `fuzzUs` of the latest, latest first; ties in their given order. */
export function latestWithFuzz<T>(units: readonly T[], timeOf: (unit: T) => number, fuzzUs: number): T[] {
  let latestUs = 0;
  for (const unit of units) latestUs = Math.max(latestUs, timeOf(unit));
  if (latestUs === 0) return [];
  return units
    .filter((unit) => timeOf(unit) > 0 && latestUs - timeOf(unit) <= fuzzUs)
    .sort((a, b) => timeOf(b) - timeOf(a));
}

/** After= may name a unit by an alias when the record was put together from text. */
function unitsByName(record: BootRecord): Map<string, Unit> {
  const units = new Map<string, Unit>();
  for (const unit of record.units) for (const alias of unit.aliases ?? []) units.set(alias, unit);
  for (const unit of record.units) units.set(unit.name, unit);
  return units;
}

function heldBackBy(unit: Unit, units: Map<string, Unit>, record: BootRecord): Unit[] {
  const finishUs = record.manager?.finishUs || Number.POSITIVE_INFINITY;
  // A unit that has not begun yet waits for whatever was done up to the end of the boot.
  const beganUs = unit.activatingUs || unit.activatedUs || finishUs;
  const found = new Set<Unit>();
  for (const name of unit.after) {
    const other = units.get(name);
    if (other && other !== unit && doneUs(other) > 0 && doneUs(other) <= beganUs) found.add(other);
  }
  return [...found];
}

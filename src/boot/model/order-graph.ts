// boot/model/order-graph.ts: which units delayed which others in this boot? An acyclic graph that what-if and compare walk.
import { failedJobs } from './causes/failures.ts';
import { settledUnits } from './causes/initrd.ts';
import { type BootRecord, isPlaced, startTookUs, type Unit } from './record.ts';
import { isDevice, triggeredUnits } from './triggered-units.ts';

/** Units that ran, by index. Unit `u` started `delayUs[u]` after the later of `floorUs[u]` and the end of all `after[u]`. */
export interface OrderGraph {
  names: string[];
  /** Index of a unit by name or alias. */
  numberOf: Map<string, number>;
  after: number[][];
  floorUs: number[];
  delayUs: number[];
  tookUs: number[];
  /** When a unit that waits for nothing may start: the first observed unit start in userspace. */
  earliestUs: number;
  /** Unit `u` cannot end before an event that the platform decides. */
  holds?: ReadonlyMap<number, PlatformHold>;
}

/** The event came at `untilUs`, whatever the node did before; the unit worked for `tailUs` after it. */
export interface PlatformHold {
  untilUs: number;
  tailUs: number;
  reason: string;
}

/** `startUs`: as observed. */
export function orderGraph(record: BootRecord): OrderGraph & { startUs: number[] } {
  const units = settledUnits(record).filter(isPlaced);
  const numberOf = new Map<string, number>();
  for (const [u, unit] of units.entries()) if (!numberOf.has(unit.name)) numberOf.set(unit.name, u);
  for (const [u, unit] of units.entries()) {
    for (const alias of unit.aliases ?? []) if (!numberOf.has(alias)) numberOf.set(alias, u);
  }
  const startUs = units.map((unit) => unit.activatingUs);
  const tookUs = units.map(startTookUs);
  const endUs = units.map((unit, u) => unit.activatingUs + tookUs[u]!);
  const after = heldBack(units, numberOf, endUs);
  const triggered = triggeredUnits(record);
  for (const [u, { name, activatingUs }] of units.entries()) {
    const trigger = triggered.get(name);
    if (trigger === undefined) continue;
    const d = isDevice(trigger) ? numberOf.get(trigger) : undefined;
    // A unit starts with its device. When a timer elapses or a client connects does not depend on the order of units.
    if (d === undefined) after[u] = [];
    else if (endUs[d]! <= activatingUs && !after[u]!.includes(d)) after[u] = [...after[u]!, d];
  }
  const names = units.map((unit) => unit.name);
  for (const { stopped, waiting } of stopJobs(units, numberOf)) {
    const { name, deactivatingUs, deactivatedUs } = units[stopped]!;
    const known = numberOf.get(stopName(name));
    after[waiting]!.push(known ?? names.length);
    if (known !== undefined) continue;
    numberOf.set(stopName(name), names.length);
    names.push(stopName(name));
    after.push(endUs[stopped]! <= deactivatingUs ? [stopped] : []);
    startUs.push(deactivatingUs);
    tookUs.push(deactivatedUs - deactivatingUs);
    endUs.push(deactivatedUs);
  }
  for (const job of failedStarts(record, numberOf)) {
    const u = names.length;
    numberOf.set(job.unit, u);
    names.push(job.unit);
    startUs.push(job.startUs);
    tookUs.push(job.endUs - job.startUs);
    endUs.push(job.endUs);
    after.push(job.after.flatMap((name) => ended(numberOf.get(name), job.startUs, endUs, u)));
    for (const [w, unit] of units.entries()) {
      if (unit.after.includes(job.unit) && job.endUs <= unit.activatingUs) after[w]!.push(u);
    }
  }
  breakTies(startUs, tookUs, after);

  const userspaceUs = knownUserspaceUs(record) ?? 0;
  let earliestUs = Number.POSITIVE_INFINITY;
  let firstUs = Number.POSITIVE_INFINITY;
  for (const us of startUs) {
    if (us < firstUs) firstUs = us;
    if (us >= userspaceUs && us < earliestUs) earliestUs = us;
  }
  const floorUs = startUs.map((us) => (us >= userspaceUs ? earliestUs : firstUs));
  const delayUs = startUs.map((us, u) => us - latestEndUs(after[u]!, endUs, floorUs[u]!));
  if (earliestUs === Number.POSITIVE_INFINITY) earliestUs = units.length > 0 ? firstUs : userspaceUs;
  return { names, numberOf, after, floorUs, delayUs, tookUs, earliestUs, startUs };
}

/** How the stop of a unit is called in a graph and in a chain. */
export function stopName(unit: string): string {
  return `stop of ${unit}`;
}

/**
 * A unit that conflicts with a running unit and is ordered relative to it starts after that one has stopped. `stopped` and `waiting`
 * are indexes of `units`; no pair repeats.
 */
function* stopJobs(units: readonly Unit[], numberOf: ReadonlyMap<string, number>) {
  const seen = new Set<string>();
  for (const [u, unit] of units.entries()) {
    for (const name of unit.conflicts ?? []) {
      const other = numberOf.get(name);
      if (other === undefined || other === u || other >= units.length) continue;
      for (const [stopped, waiting] of [
        [other, u],
        [u, other],
      ] as const) {
        if (seen.has(`${stopped} ${waiting}`) || !waitedForStop(units[waiting]!, units[stopped]!)) continue;
        seen.add(`${stopped} ${waiting}`);
        yield { stopped, waiting };
      }
    }
  }
}

/** Jobs that failed before their unit began, first to last: what waited for the unit waited for the job. */
function failedStarts(record: BootRecord, numberOf: ReadonlyMap<string, number>) {
  const jobs = [...failedJobs(record)].filter(([unit]) => !numberOf.has(unit));
  if (jobs.length === 0) return [];
  const byName = new Map(record.units.map((unit) => [unit.name, unit]));
  return jobs
    .map(([unit, { startUs, endUs }]) => ({ unit, startUs, endUs, after: byName.get(unit)?.after ?? [] }))
    .sort((a, b) => a.endUs - b.endUs || a.startUs - b.startUs || Number(isDevice(b.unit)) - Number(isDevice(a.unit)));
}

function ended(d: number | undefined, byUs: number, endUs: readonly number[], u: number): number[] {
  return d !== undefined && d !== u && endUs[d]! <= byUs ? [d] : [];
}

/** Whether `unit` began after the stop of a conflicting unit that it is ordered relative to. */
export function waitedForStop(unit: Unit, stopped: Unit): boolean {
  const { deactivatingUs, deactivatedUs } = stopped;
  if (deactivatingUs <= stopped.activatingUs || deactivatedUs < deactivatingUs) return false;
  if (deactivatedUs > unit.activatingUs) return false;
  return unit.after.includes(stopped.name) || stopped.after.includes(unit.name);
}

/** When userspace began on the record's clock, if known. */
export function knownUserspaceUs({ clock, manager }: Pick<BootRecord, 'clock' | 'manager'>): number | undefined {
  if (clock.zero === 'userspace') return 0;
  return clock.zero === 'kernel' && manager && manager.userspaceUs > 0 ? manager.userspaceUs : undefined;
}

/** At least `floorUs`. */
export function latestEndUs(units: readonly number[], endUs: ArrayLike<number>, floorUs: number): number {
  let result = floorUs;
  for (const unit of units) if (endUs[unit]! > result) result = endUs[unit]!;
  return result;
}

/** An After= dependency that became active after the unit began did not delay it: one of the two was restarted, or started by other means. */
function heldBack(units: readonly Unit[], numberOf: ReadonlyMap<string, number>, endUs: readonly number[]): number[][] {
  const lastHeld = new Int32Array(units.length).fill(-1);
  return units.map((unit, u) => {
    const found: number[] = [];
    for (const name of unit.after) {
      const d = numberOf.get(name);
      if (d === undefined || d === u || lastHeld[d] === u || endUs[d]! > unit.activatingUs) continue;
      lastHeld[d] = u;
      found.push(d);
    }
    return found;
  });
}

/**
 * Observed times order all units except those that took no time and started at the same instant. These can form a cycle: inside
 * a cycle, only edges that follow the listing's order are kept.
 */
export function breakTies(startUs: readonly number[], tookUs: readonly number[], after: number[][]): void {
  const isTie = (d: number, u: number) => tookUs[u] === 0 && startUs[d] === startUs[u];
  const ties = after.map((deps, u) => (deps.some((d) => isTie(d, u)) ? deps.filter((d) => isTie(d, u)) : NONE));
  if (ties.every((deps) => deps === NONE)) return;
  const componentOf = componentsOf(ties);
  for (const [u, deps] of after.entries()) {
    if (ties[u] !== NONE) after[u] = deps.filter((d) => componentOf[d] !== componentOf[u] || d < u);
  }
}

const NONE: readonly number[] = [];

/** Tarjan's strongly connected components, without recursion because graphs are thousands of units deep. */
function componentsOf(next: readonly (readonly number[])[]): Int32Array {
  const seen = new Int32Array(next.length).fill(-1);
  const low = new Int32Array(next.length);
  const component = new Int32Array(next.length).fill(-1);
  const path: number[] = [];
  let time = 0;
  for (let root = 0; root < next.length; root++) {
    if (seen[root] !== -1) continue;
    const calls = [{ node: root, edge: 0 }];
    while (calls.length > 0) {
      const call = calls.at(-1)!;
      const { node } = call;
      if (call.edge === 0) {
        seen[node] = low[node] = time++;
        path.push(node);
      }
      const child = next[node]![call.edge++];
      if (child !== undefined) {
        if (seen[child] === -1) calls.push({ node: child, edge: 0 });
        else if (component[child] === -1) low[node] = Math.min(low[node]!, seen[child]!);
        continue;
      }
      calls.pop();
      const parent = calls.at(-1);
      if (parent) low[parent.node] = Math.min(low[parent.node]!, low[node]!);
      if (low[node] !== seen[node]) continue;
      for (let member = path.pop()!; ; member = path.pop()!) {
        component[member] = node;
        if (member === node) break;
      }
    }
  }
  return component;
}

// boot/model/cluster-boots.ts: which pieces of evidence belong to the same boot?

import { clockMap } from './clock-map.ts';
import type { Evidence } from './evidence.ts';
import { areOfTwoBoots, canContradict } from './two-boots.ts';

/** The files of one folder or archive, or all single files of one command line. */
export interface EvidenceGroup {
  isFolder: boolean;
  evidence: Evidence[];
}

export interface BootCluster {
  bootId?: string;
  /** Wall clock at kernel start, if known, and how exact it is. */
  wallAtZeroUs?: number;
  errorUs?: number;
  evidence: Evidence[];
  /** Groups that contributed evidence. Evidence without boot id or time joins a cluster of its own group. */
  groups: Set<EvidenceGroup>;
}

/** Estimates of the same kernel start differ by less (stamps in whole seconds, slow log writers). */
const SAME_BOOT_US = 5_000_000;

const ANOTHER_BOOT_US = 6 * 3_600e6;

/** Oldest boot first if the wall clock is known, else in input order. */
export function clusterBoots(groups: readonly EvidenceGroup[]): BootCluster[] {
  const clusters: BootCluster[] = [];
  const byZero = new ClustersByZero();
  const all = groups.flatMap((group) =>
    group.evidence.map((evidence) => {
      const map = clockMap(evidence.anchors);
      return { group, evidence, zeroUs: map?.wallAtZeroUs, errorUs: map?.errorUs ?? 0 };
    }),
  );
  // Strongest identity first: a boot id, then a known kernel start, then wall times, then only the group.
  const strength = ({ evidence, zeroUs }: (typeof all)[number]) =>
    evidence.bootId ? 0 : zeroUs !== undefined ? 1 : evidence.clock === 'wall' ? 2 : 3;
  // An exact kernel start attracts the inexact ones, not the other way round.
  for (const item of all.sort((a, b) => strength(a) - strength(b) || coarse(a.errorUs) - coarse(b.errorUs))) {
    const found = findCluster(clusters, byZero, item) ?? newCluster(clusters);
    found.evidence.push(item.evidence);
    found.groups.add(item.group);
    if (item.evidence.bootId) found.bootId ??= item.evidence.bootId;
    if (item.zeroUs !== undefined && found.wallAtZeroUs === undefined) {
      found.wallAtZeroUs = item.zeroUs;
      found.errorUs = item.errorUs;
      byZero.add(found, item.zeroUs);
    }
  }
  return clusters.sort((a, b) => beganUs(a) - beganUs(b));
}

function beganUs(cluster: BootCluster): number {
  if (cluster.wallAtZeroUs !== undefined) return cluster.wallAtZeroUs;
  const walls = cluster.evidence.filter((e) => e.clock === 'wall').map((e) => timesOf(e).firstUs);
  return walls.length > 0 ? Math.min(...walls) : 0;
}

function newCluster(clusters: BootCluster[]): BootCluster {
  const cluster: BootCluster = { evidence: [], groups: new Set() };
  clusters.push(cluster);
  return cluster;
}

/** A log may contain thousands of boots: finds those near a kernel start without visiting all. */
class ClustersByZero {
  readonly #buckets = new Map<number, BootCluster[]>();
  size = 0;

  add(cluster: BootCluster, zeroUs: number): void {
    const bucket = Math.floor(zeroUs / SAME_BOOT_US);
    const known = this.#buckets.get(bucket);
    if (known) known.push(cluster);
    else this.#buckets.set(bucket, [cluster]);
    this.size++;
  }

  near(zeroUs: number, withinUs: number): BootCluster[] {
    const found: BootCluster[] = [];
    const last = Math.floor((zeroUs + withinUs) / SAME_BOOT_US);
    for (let one = Math.floor((zeroUs - withinUs) / SAME_BOOT_US); one <= last; one++)
      found.push(...(this.#buckets.get(one) ?? []));
    return found;
  }
}

function findCluster(
  clusters: BootCluster[],
  byZero: ClustersByZero,
  item: { evidence: Evidence; group: EvidenceGroup; zeroUs: number | undefined; errorUs: number },
): BootCluster | undefined {
  const { evidence, group, zeroUs, errorUs } = item;
  if (evidence.bootId) return clusters.find((c) => c.bootId === evidence.bootId);
  if (zeroUs !== undefined) {
    const isChecked = canContradict(evidence);
    const isAnother = (known: Evidence) => known.kind === evidence.kind && areOfTwoBoots(known, evidence);
    const near = byZero
      .near(zeroUs, SAME_BOOT_US + coarse(errorUs))
      .filter((c) => isNear(c, evidence, zeroUs, errorUs))
      .filter((c) => !isChecked || !c.evidence.some(isAnother))
      .sort((a, b) => Math.abs(a.wallAtZeroUs! - zeroUs) - Math.abs(b.wallAtZeroUs! - zeroUs))[0];
    if (near) return near;
    if (byZero.size === clusters.length) return undefined;
    // A cluster without a known kernel start may be this boot.
    return clusters.findLast((c) => c.wallAtZeroUs === undefined && accepts(c, group) && !isContradicted(c, evidence));
  }
  if (evidence.clock === 'wall') {
    const { firstUs, lastUs } = timesOf(evidence);
    const began = clusters
      .filter((c) => c.wallAtZeroUs !== undefined && c.wallAtZeroUs <= firstUs + SAME_BOOT_US)
      .sort((a, b) => b.wallAtZeroUs! - a.wallAtZeroUs!)[0];
    if (began) return began;
    const isKnownHere = clusters.some((c) => c.wallAtZeroUs !== undefined && accepts(c, group));
    if (Number.isFinite(firstUs) && isKnownHere) return undefined; // older than every boot of this group
    return clusters.findLast((c) => accepts(c, group) && !isAnotherTime(c, firstUs, lastUs));
  }
  const possible = clusters.filter((c) => accepts(c, group) && !isContradicted(c, evidence));
  const own = possible.filter((c) => c.groups.has(group));
  return nearestFolder(own.length > 0 ? own : possible, evidence.input);
}

/**
 * A folder may contain several boots, each in a subfolder: prefer the cluster with the most parent folders in common. On a tie,
 * prefer the latest boot: it is the one a collection is made for, although a log in it may also contain earlier boots.
 */
function nearestFolder(clusters: readonly BootCluster[], input: string): BootCluster | undefined {
  let nearest: { cluster: BootCluster; shared: number } | undefined;
  for (const cluster of clusters) {
    const shared = Math.max(...cluster.evidence.map((known) => sharedFolders(known.input, input)));
    const isNearer = !nearest || shared > nearest.shared;
    if (isNearer || (shared === nearest!.shared && beganUs(cluster) >= beganUs(nearest!.cluster)))
      nearest = { cluster, shared };
  }
  return nearest?.cluster;
}

function sharedFolders(a: string, b: string): number {
  const [left, right] = [a, b].map((path) => path.split(/[\\/]/).slice(0, -1));
  const firstDifferent = left!.findIndex((folder, depth) => folder !== right![depth]);
  return firstDifferent < 0 ? left!.length : firstDifferent;
}

function isContradicted(cluster: BootCluster, evidence: Evidence): boolean {
  return cluster.evidence.some((known) => areOfTwoBoots(known, evidence));
}

/** Wall times further apart than any boot takes belong to different boots. */
function isAnotherTime(cluster: BootCluster, firstUs: number, lastUs: number): boolean {
  const walls = cluster.evidence.filter((e) => e.clock === 'wall').map(timesOf);
  return walls.some((w) => firstUs - w.lastUs > ANOTHER_BOOT_US || w.firstUs - lastUs > ANOTHER_BOOT_US);
}

/** Evidence from a folder is not merged with another folder's. A single file may belong to any cluster. */
function accepts(cluster: BootCluster, group: EvidenceGroup): boolean {
  return cluster.groups.has(group) || !group.isFolder || [...cluster.groups].every((other) => !other.isFolder);
}

/** A log has each of its boots once: an inexact kernel start is no reason to join two of them. */
function isNear(cluster: BootCluster, evidence: Evidence, zeroUs: number, errorUs: number): boolean {
  const apartUs = Math.abs(cluster.wallAtZeroUs! - zeroUs);
  if (apartUs < SAME_BOOT_US) return true;
  return apartUs < SAME_BOOT_US + coarse(errorUs) && cluster.evidence.every(({ input }) => input !== evidence.input);
}

/** 0 for errors within what estimates of the same kernel start differ by anyway. */
function coarse(errorUs: number): number {
  return errorUs > SAME_BOOT_US ? errorUs : 0;
}

/** The first and last time in the evidence, on its own clock. Infinity and -Infinity if it has no times. */
export function timesOf(evidence: Evidence): { firstUs: number; lastUs: number } {
  let firstUs = Number.POSITIVE_INFINITY;
  let lastUs = Number.NEGATIVE_INFINITY;
  const see = (us: number) => {
    firstUs = Math.min(firstUs, us);
    lastUs = Math.max(lastUs, us);
  };
  for (const { startUs, endUs } of evidence.spans) {
    see(startUs);
    see(endUs);
  }
  for (const { atUs } of evidence.milestones) see(atUs);
  // Minus 1 µs: the clock may start at this instant, and a unit's stamp of 0 means that it never started.
  for (const unit of evidence.units ?? []) if (unit.activatingUs > 0) see(unit.activatingUs - 1);
  return { firstUs, lastUs };
}

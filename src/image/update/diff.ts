// image/update/diff.ts: how do two locks differ? Packages, binaries, container images and files that were added, removed or changed, and their sizes.

import { artifactsOf } from '../lock/content-hash.ts';
import type { ImageLock, LockedBase } from '../lock/lock.ts';
import { compareComponentVersions } from '../manifest/compare-versions.ts';
import type { ComponentKind } from '../manifest/manifest.ts';
import { imageVersionName } from '../publish/names.ts';

export interface LockDiff {
  from: DiffSide;
  to: DiffSide;
  kubernetes: { added: string[]; removed: string[] };
  /** Differences besides components: name, architecture, base, disk size. */
  facts: { what: string; from: string; to: string }[];
  /** Sorted by kind, name, Kubernetes version. */
  changes: LockChange[];
  /** Bytes to fetch for the image of each patch version on either side. */
  sizes: { kubernetes: string; fromBytes?: number; toBytes?: number }[];
}

export interface DiffSide {
  name: string;
  version: string;
  base: LockedBase;
}

export interface LockChange {
  kind: ComponentKind;
  component: string;
  /** Only in the image of this patch version. */
  kubernetes?: string;
  /** same-version: different bytes under the same version. */
  change: 'added' | 'removed' | 'up' | 'down' | 'same-version';
  from?: ContentVersion;
  to?: ContentVersion;
}

export interface ContentVersion {
  version: string;
  sha256: string;
  bytes: number;
}

export function diffLocks(from: ImageLock, to: ImageLock): LockDiff {
  return {
    from: sideOf(from),
    to: sideOf(to),
    kubernetes: {
      added: to.kubernetes.filter((version) => !from.kubernetes.includes(version)),
      removed: from.kubernetes.filter((version) => !to.kubernetes.includes(version)),
    },
    facts: factsOf(from, to),
    changes: changesOf(itemsOf(from), itemsOf(to)),
    sizes: [...new Set([...from.kubernetes, ...to.kubernetes])]
      .sort((a, b) => compareComponentVersions('binary', a, b))
      .map((kubernetes) => ({
        kubernetes,
        ...(from.kubernetes.includes(kubernetes) && { fromBytes: bytesOf(from, kubernetes) }),
        ...(to.kubernetes.includes(kubernetes) && { toBytes: bytesOf(to, kubernetes) }),
      })),
  };
}

/** Two locks can differ and still make the same images. */
export function isSameContent({ changes, facts, kubernetes }: LockDiff): boolean {
  return changes.length + facts.length + kubernetes.added.length + kubernetes.removed.length === 0;
}

interface LockItem extends ContentVersion {
  kind: ComponentKind;
  component: string;
  kubernetes: string | undefined;
  /** The parts of `install` that change the image, as JSON. */
  place: string;
}

/** Keyed by kind, component and Kubernetes version, so that a component with a new install path is a change. */
function itemsOf(lock: ImageLock): Map<string, LockItem> {
  const artifacts = lock.artifacts.map(
    ({ kind, component, version, sha256, bytes, kubernetes, install }): LockItem => ({
      ...{ kind, component, version, sha256, bytes, kubernetes },
      place: JSON.stringify([install?.to, install?.only, install?.strip]),
    }),
  );
  const files = lock.files.map(
    ({ component, sha256, content, to, mode }): LockItem => ({
      ...{ kind: 'file', component, version: sha256.slice(0, 12), sha256, bytes: Buffer.byteLength(content) },
      kubernetes: undefined,
      place: JSON.stringify([to, mode]),
    }),
  );
  return new Map([...artifacts, ...files].map((item) => [keyOf(item), item]));
}

/** Sorting by this key gives the order of the changes. */
function keyOf({ kind, component, kubernetes }: LockItem): string {
  return JSON.stringify([KINDS.indexOf(kind), component, kubernetes ?? '']);
}

const KINDS: readonly ComponentKind[] = ['deb', 'binary', 'archive', 'oci-image', 'file'];

function changesOf(from: ReadonlyMap<string, LockItem>, to: ReadonlyMap<string, LockItem>): LockChange[] {
  return [...new Set([...from.keys(), ...to.keys()])].sort().flatMap((key) => {
    const [before, after] = [from.get(key), to.get(key)];
    const { kind, component, kubernetes } = (before ?? after)!;
    const change = changeOf(kind, before, after);
    if (change === undefined) return [];
    const about = { kind, component, ...(kubernetes !== undefined && { kubernetes }), change };
    return [
      { ...about, ...(before && { from: contentVersionOf(before) }), ...(after && { to: contentVersionOf(after) }) },
    ];
  });
}

function changeOf(
  kind: ComponentKind,
  before: LockItem | undefined,
  after: LockItem | undefined,
): LockChange['change'] | undefined {
  if (!before) return 'added';
  if (!after) return 'removed';
  if (before.sha256 === after.sha256 && before.version === after.version && before.place === after.place)
    return undefined;
  // A file has content but no version: neither side is newer.
  const order = kind === 'file' ? 0 : compareComponentVersions(kind, before.version, after.version);
  return order < 0 ? 'up' : order > 0 ? 'down' : 'same-version';
}

function contentVersionOf({ version, sha256, bytes }: LockItem): ContentVersion {
  return { version, sha256, bytes };
}

function factsOf(from: ImageLock, to: ImageLock): LockDiff['facts'] {
  const facts = (lock: ImageLock): [string, string][] => [
    ['name', lock.name],
    ['architecture', lock.architecture],
    ['base', lock.base.origin],
    ['package snapshot', snapshotOf(lock.base)],
    ['disk', `${lock.disk.sizeMb} MB, budget ${lock.disk.budgetMb} MB, warning at ${lock.disk.warnPercent}%`],
  ];
  const after = new Map(facts(to));
  return facts(from)
    .map(([what, value]) => ({ what, from: value, to: after.get(what)! }))
    .filter((fact) => fact.from !== fact.to);
}

/** `2026.1116 (bookworm 2026-11-16 1f2e…)`. */
function snapshotOf({ date, indices }: LockedBase): string {
  const suites = indices.map(({ suite, date: day, sha256 }) => `${suite} ${day} ${sha256.slice(0, 12)}`);
  return `${date} (${suites.toSorted().join(', ')})`;
}

function bytesOf(lock: ImageLock, kubernetes: string): number {
  const files = lock.files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  return artifactsOf(lock, kubernetes).reduce((sum, { bytes }) => sum + bytes, files);
}

function sideOf({ name, base }: ImageLock): DiffSide {
  return { name, version: imageVersionName(base), base };
}

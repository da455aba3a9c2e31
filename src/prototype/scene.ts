// prototype/scene.ts: everything a decision is made from: the world as it was just observed, what is wanted, and which run this is.
import type { Lease, Node, Pod } from '../cluster/cluster.ts';
import type { Definition, Instance, Pool, Snapshot, Version } from '../vms/factory.ts';
import { DONOR_TAG, TAGS } from './names.ts';
import { readDonorMark, readPrior } from './prior.ts';

export interface World {
  nowMs: number;
  pool: Pool;
  /** The donor's Kubernetes face and its VM; either may have vanished. */
  node: Node | undefined;
  donor: Instance | undefined;
  /** What a drain would still have to move, and what it would refuse to move as it was asked. */
  podsToMove: readonly Pod[];
  podsRefused: readonly string[];
  lease: Lease | undefined;
  definition: Definition | undefined;
  versions: readonly Version[];
  snapshot: Snapshot | undefined;
  hasRecipe: boolean;
  /** Ids of image versions that a model or an instance refers to; only observed when something might be pruned. */
  references: ReadonlySet<string> | undefined;
}

export interface Intent {
  nodeName: string;
  gallery: string;
  /** Name of the version to make when none is under way: the day the run began, so that midnight changes nothing. */
  version: string;
  replicas: number;
  imageHistory: number;
  /** undefined = each pod's own. */
  graceSeconds: number | undefined;
  isDrainForced: boolean;
  isReleased: boolean;
  /** The operator knows that AKS or Cluster API may put its own recipe back. */
  mayBeManaged: boolean;
}

export interface Run {
  id: string;
  /** The donor goes home and nothing else is begun. */
  isAborting: boolean;
}

export interface Scene {
  world: World;
  intent: Intent;
  run: Run;
}

/** The snapshot is this donor's, whole, and its version is this run's or already being made. */
export function hasUsableSnapshot({ world, intent }: Scene): boolean {
  const { snapshot } = world;
  if (snapshot?.state !== 'complete' || !isOfDonor(snapshot.tags, intent)) return false;
  const version = snapshot.tags[TAGS.version];
  return version === intent.version || world.versions.some((v) => v.name === version && v.state !== 'failed');
}

/** A snapshot's version goes on being made past midnight; otherwise the run's own day. */
export function versionName(scene: Scene): string {
  return hasUsableSnapshot(scene) ? scene.world.snapshot!.tags[TAGS.version]! : scene.intent.version;
}

export function targetVersion(scene: Scene): Version | undefined {
  const name = versionName(scene);
  return scene.world.versions.find((version) => version.name === name);
}

export function isOfDonor(tags: Readonly<Record<string, string>>, intent: Intent): boolean {
  return tags[TAGS.donor] === intent.nodeName;
}

/** Still needed: nothing that could become the version exists yet. */
export function needsCapture(scene: Scene): boolean {
  if (scene.run.isAborting) return false;
  const version = targetVersion(scene);
  return (version === undefined || version.state === 'failed') && !hasUsableSnapshot(scene);
}

/** A donor that a run which is not this one left out of service. */
export function hasStrayDonor({ world, run }: Scene): boolean {
  const mark = readPrior(world.node) ?? readDonorMark(world.donor?.tags[DONOR_TAG]);
  return mark !== undefined && mark.run !== run.id;
}

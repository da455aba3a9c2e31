// prototype/run/scene.ts: everything a decision is made from: the world as it was just observed, what is wanted, and which run this is.
import type { Lease, Node, Pod } from '../../cluster/cluster.ts';
import type { Definition, Version } from '../../vms/gallery.ts';
import type { Instance, Pool } from '../../vms/pools.ts';
import type { Snapshot } from '../../vms/snapshots.ts';
import { DONOR_TAG, TAGS } from '../names.ts';
import { readDonorMark, readPrior } from './prior.ts';
import { isSameMachine } from './same-machine.ts';

export interface RunWorld {
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
  /** The model as a person last set it is kept for the way back. */
  hasSavedModel: boolean;
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
  /** The operator knows that AKS or Cluster API may put its own model back. */
  mayBeManaged: boolean;
}

export interface Run {
  id: string;
  /** The donor goes home and nothing else is begun. */
  isAborting: boolean;
}

export interface Scene {
  world: RunWorld;
  intent: Intent;
  run: Run;
}

/** The way home asks for nothing but the node; the rest of an intent is about what comes after. */
export function recoveryIntent(nodeName: string, gallery: string): Intent {
  return {
    nodeName,
    gallery,
    version: '',
    replicas: 1,
    imageHistory: Number.POSITIVE_INFINITY,
    graceSeconds: undefined,
    isDrainForced: false,
    isReleased: false,
    mayBeManaged: true,
  };
}

/** The snapshot is this donor's, whole, and its version is this run's or already being made. */
export function hasUsableSnapshot(scene: Scene): boolean {
  return scene.world.snapshot?.state === 'complete' && isSnapshotForThisRun(scene);
}

/**
 * The same, still being copied: by this run, or by one that died. It is of the moment it was ordered, when the donor was off, so it is as
 * good as one that is whole by now: what comes of a run does not depend on how soon it was resumed.
 */
export function hasPendingSnapshot(scene: Scene): boolean {
  return scene.world.snapshot?.state === 'creating' && isSnapshotForThisRun(scene);
}

function isSnapshotForThisRun(scene: Scene): boolean {
  const { world, intent } = scene;
  const { tags = {} } = world.snapshot ?? {};
  const version = tags[TAGS.version];
  const isBegun = world.versions.some((v) => v.name === version && v.state !== 'failed');
  return isOfDonor(tags, scene) && (version === intent.version || isBegun);
}

/** A snapshot's version goes on being made past midnight; otherwise the run's own day. */
export function targetVersionName(scene: Scene): string {
  return hasUsableSnapshot(scene) || hasPendingSnapshot(scene)
    ? scene.world.snapshot!.tags[TAGS.version]!
    : scene.intent.version;
}

export function targetVersion(scene: Scene): Version | undefined {
  const name = targetVersionName(scene);
  return scene.world.versions.find((version) => version.name === name);
}

/** Names are used again: a pool that was deleted and made anew has a node of the same name on another machine. */
export function isOfDonor(tags: Readonly<Record<string, string>>, { world, intent }: Scene): boolean {
  const [made, now] = [tags[TAGS.donorVmId], world.donor?.vmId];
  const isOtherMachine = made !== undefined && now !== undefined && !isSameMachine(made, now);
  return tags[TAGS.donor] === intent.nodeName && !isOtherMachine;
}

/** How to name whose it is. */
export function ownerOf(tags: Readonly<Record<string, string>>, { intent }: Scene): string | undefined {
  const owner = tags[TAGS.donor];
  return owner === intent.nodeName ? `an earlier machine called ${owner}` : owner;
}

/** Still needed: nothing that could become the version exists yet. */
export function needsCapture(scene: Scene): boolean {
  if (scene.run.isAborting) return false;
  const version = targetVersion(scene);
  const isMissing = version === undefined || version.state === 'failed';
  return isMissing && !hasUsableSnapshot(scene) && !hasPendingSnapshot(scene);
}

/** A donor that a run which is not this one left out of service. */
export function hasStrayDonor({ world, run }: Scene): boolean {
  const mark = readPrior(world.node) ?? readDonorMark(world.donor?.tags[DONOR_TAG]);
  return mark !== undefined && mark.run !== run.id;
}

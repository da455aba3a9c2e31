// prototype/run/scene.ts: the input of every decision: the state just observed, the intent, and which run this is.
import type { Lease, Node, Pod } from '../../cluster/cluster.ts';
import type { Definition, Version } from '../../vms/gallery.ts';
import type { ImageRef, Instance, Pool } from '../../vms/pools.ts';
import type { Snapshot } from '../../vms/snapshots.ts';
import { badReason } from '../bad-version.ts';
import { compareVersionNames, DONOR_TAG, DRAINED_ANNOTATION, SEALED_ANNOTATION, TAGS } from '../names.ts';
import type { SavedModelState } from '../saved-model.ts';
import { readDonorMark, readPrior } from './prior.ts';
import { isSameMachine } from './same-machine.ts';

export interface RunWorld {
  nowMs: number;
  pool: Pool;
  /** The donor's Node and its VM; either may be gone. */
  node: Node | undefined;
  donor: Instance | undefined;
  /** Pods that a drain still has to move, and pods that it refuses to move with the given options. */
  podsToMove: readonly Pod[];
  podsRefused: readonly string[];
  lease: Lease | undefined;
  definition: Definition | undefined;
  versions: readonly Version[];
  snapshot: Snapshot | undefined;
  /** A snapshot of an earlier run that is of no use any more and has the usual name. It is deleted, or stays if it is locked. */
  leftover?: Snapshot | undefined;
  /** Whether the machine whose disk the snapshot holds was deleted; read only for the snapshot of another donor. */
  isSnapshotDonorGone?: boolean;
  /** Whether the model that a person last set is saved for a rollback. */
  savedModel: SavedModelState;
  /** Ids of image versions that a model or an instance uses; read only when there may be versions to prune. */
  references: ReadonlySet<string> | undefined;
}

export interface Intent {
  nodeName: string;
  /** headstart chose the donor. If another donor's unfinished version can still be published, the run does that instead. */
  isDonorChosen?: boolean;
  /** The run finishes the version of a donor that was deleted. */
  isDonorGone?: boolean;
  gallery: string;
  /** The version to make if none is in progress: the day the run began, so that midnight changes nothing. */
  version: string;
  replicas: number;
  imageHistory: number;
  /** undefined = each pod's own. */
  graceSeconds: number | undefined;
  isDrainForced: boolean;
  isReleased: boolean;
  /** The operator accepts a donor whose clones may be bad nodes. */
  mayBeUnfit?: boolean;
  /** The operator accepts that AKS or Cluster API may revert the model. */
  mayBeManaged: boolean;
}

export interface Run {
  id: string;
  /** The run only restores the donor. */
  isAborting: boolean;
  /** This process ordered a stop that may still take effect, even after another process restored the donor. */
  mayStopLate?: boolean;
  /** Steps that this process no longer waits for. */
  gaveUp?: ReadonlySet<string>;
}

export interface Scene {
  world: RunWorld;
  intent: Intent;
  run: Run;
}

/** Restoring a donor needs only the node and the gallery; the other fields are placeholders. */
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

/** Whether this run sealed the disk that the donor has now, after it had drained the node. */
export function isSealed({ world: { node, donor }, run }: Scene): boolean {
  return donor !== undefined && node?.annotations[SEALED_ANNOTATION] === sealMark(run, donor);
}

/** Contains the disk: a reimaged instance keeps its Node object, but has a new disk. */
export function sealMark({ id }: Run, { osDisk }: Instance): string {
  return `${id} ${osDisk?.id ?? ''}`.trim();
}

export function isDrained({ world: { node }, run }: Scene): boolean {
  return node?.annotations[DRAINED_ANNOTATION] === run.id;
}

export function isOff({ world: { donor } }: Scene): boolean {
  return donor?.power === 'stopped' || donor?.power === 'deallocated';
}

/** The snapshot is complete and of this donor, and its version is this run's or already being made. */
export function hasUsableSnapshot(scene: Scene): boolean {
  return scene.world.snapshot?.state === 'complete' && isSnapshotForThisRun(scene);
}

/**
 * The same, but the copy, begun by this run or by one that died, is still in progress. It holds the disk at the time of the request,
 * when the donor was off, so it is as good as a complete one. The result of a run does not depend on how soon it is resumed.
 */
export function hasPendingSnapshot(scene: Scene): boolean {
  return scene.world.snapshot?.state === 'creating' && isSnapshotForThisRun(scene);
}

function isSnapshotForThisRun(scene: Scene): boolean {
  return isOfDonor(scene.world.snapshot?.tags ?? {}, scene) && canBecomeVersion(scene);
}

/** Its disk was sealed, and its version is that of today or already being made. */
function canBecomeVersion({ world, intent }: Scene): boolean {
  const { tags = {} } = world.snapshot ?? {};
  const version = tags[TAGS.version];
  // A bad version is never finished: the run of the next day deletes its snapshot and makes a new version.
  const isBegun = world.versions.some((v) => v.name === version && v.state !== 'failed' && badReason(v) === undefined);
  return tags[TAGS.sealed] !== undefined && (version === intent.version || isBegun);
}

/**
 * The intent to finish the version of another donor that was deleted after its disk was copied; undefined if there is none, if the
 * operator named a donor, or if the version is ready since an earlier day: a new one is better.
 */
export function adoptedIntent(scene: Scene): Intent | undefined {
  const { snapshot, isSnapshotDonorGone } = scene.world;
  const donor = snapshot?.tags[TAGS.donor];
  if (!scene.intent.isDonorChosen || !snapshot || donor === undefined || !isSnapshotDonorGone) return undefined;
  if (isOfDonor(snapshot.tags, scene) || snapshot.state === 'failed' || !canBecomeVersion(scene)) return undefined;
  const name = snapshot.tags[TAGS.version];
  const isReady = scene.world.versions.some((version) => version.name === name && version.state === 'ready');
  if (isReady && name !== scene.intent.version) return undefined;
  return { ...scene.intent, nodeName: donor, version: snapshot.tags[TAGS.version]!, isDonorGone: true };
}

/**
 * Whether the snapshot of another donor is of no use to anyone: it failed, is not sealed, its version is ready, or its version was not
 * begun on its day. One of today is left to its donor, unless that was deleted.
 */
export function isAbandonedSnapshot(scene: Scene): boolean {
  const { world, intent } = scene;
  const { snapshot } = world;
  if (!snapshot || isOfDonor(snapshot.tags, scene)) return false;
  const name = snapshot.tags[TAGS.version] ?? '';
  const version = world.versions.find((v) => v.name === name);
  if (version?.state === 'creating' || version?.state === 'replicating') return false;
  if (version?.state === 'ready' || snapshot.state === 'failed' || snapshot.tags[TAGS.sealed] === undefined)
    return true;
  return world.isSnapshotDonorGone === true || compareVersionNames(name, intent.version) < 0;
}

/** Whether no run needs the snapshot of an earlier day any more: its version is published, or was never begun. */
export function isLeftover(
  snapshot: Pick<Snapshot, 'tags'>,
  versions: readonly Version[],
  { today, image }: { today: string; image?: ImageRef },
): boolean {
  const name = snapshot.tags[TAGS.version];
  if (name === undefined || name === today) return false;
  const version = versions.find((one) => one.name === name);
  if (version === undefined || version.state === 'failed') return compareVersionNames(name, today) < 0;
  if (version.state !== 'ready') return false;
  const isInModel = image?.kind === 'version' && image.id.toLowerCase() === version.id.toLowerCase();
  return isInModel || !version.isExcludedFromLatest || badReason(version) !== undefined;
}

/** The version of a usable or pending snapshot, also after midnight; otherwise the day the run began. */
export function targetVersionName(scene: Scene): string {
  return hasUsableSnapshot(scene) || hasPendingSnapshot(scene)
    ? scene.world.snapshot!.tags[TAGS.version]!
    : scene.intent.version;
}

export function targetVersion(scene: Scene): Version | undefined {
  const name = targetVersionName(scene);
  return scene.world.versions.find((version) => version.name === name);
}

/** Preflight refuses it too; a step that offers a version to new instances checks it again. */
export function isTargetBad(scene: Scene): boolean {
  const version = targetVersion(scene);
  return version !== undefined && badReason(version) !== undefined;
}

/** Names are reused: a pool that was deleted and created again has a node of the same name on another machine. */
export function isOfDonor(tags: Readonly<Record<string, string>>, { world, intent }: Scene): boolean {
  const [made, now] = [tags[TAGS.donorVmId], world.donor?.vmId];
  const isOtherMachine = made !== undefined && now !== undefined && !isSameMachine(made, now);
  return tags[TAGS.donor] === intent.nodeName && !isOtherMachine;
}

/** The owner, as messages name it. */
export function ownerOf(tags: Readonly<Record<string, string>>, { intent }: Scene): string | undefined {
  const owner = tags[TAGS.donor];
  return owner === intent.nodeName ? `an earlier machine called ${owner}` : owner;
}

/** Whether the run still has to copy the donor's disk: neither the version nor a usable snapshot exists. */
export function needsCapture(scene: Scene): boolean {
  if (scene.run.isAborting) return false;
  const version = targetVersion(scene);
  const isMissing = version === undefined || version.state === 'failed';
  return isMissing && !hasUsableSnapshot(scene) && !hasPendingSnapshot(scene);
}

/** Whether another run left the donor out of service. */
export function hasStrayDonor({ world, run }: Scene): boolean {
  const mark = readPrior(world.node) ?? readDonorMark(world.donor?.tags[DONOR_TAG]);
  return mark !== undefined && mark.run !== run.id;
}

// prototype/run/preflight.ts: for which reasons is a run refused? Checked before every step, so that a run never begins what cannot succeed.
import type { Version } from '../../vms/gallery.ts';
import { badReason } from '../bad-version.ts';
import { isOfOtherPool, TAGS } from '../names.ts';
import { limitRefusals } from './limits.ts';
import { readPrior } from './prior.ts';
import { isAbandonedSnapshot, isOfDonor, needsCapture, ownerOf, type Scene, targetVersion } from './scene.ts';
import { isSwitched } from './steps/switch-model.ts';

export interface Refusal {
  code: string;
  reason: string;
  next: string;
}

/** All reasons at once. The donor is checked only while the run still has to capture it. */
export function refusals(scene: Scene): Refusal[] {
  if (scene.run.isAborting) return [];
  return [
    ...aboutPool(scene),
    ...limitRefusals(scene),
    ...aboutVersion(scene),
    ...(needsCapture(scene) ? aboutDonor(scene) : []),
  ];
}

function aboutPool(scene: Scene): Refusal[] {
  const { world, intent } = scene;
  const { pool } = world;
  const { model } = pool;
  const name = pool.ref.name;
  const found: Refusal[] = [];
  const refuse = (code: string, reason: string, next: string) =>
    found.push({ code: `prototype/${code}`, reason, next });
  if (pool.managedBy && !intent.mayBeManaged) {
    const manager = pool.managedBy === 'aks' ? 'AKS' : 'Cluster API';
    refuse(
      'managed',
      `${name} is managed by ${manager}, which does not support direct changes and may revert them`,
      'change the pool through its manager, or give --allow-managed',
    );
  }
  if (model.os === 'windows')
    refuse('windows', `${name} runs Windows, which cannot be cloned this way`, 'choose a Linux pool');
  if (model.hasEphemeralDisk) {
    refuse(
      'ephemeral-disk',
      `${name} has ephemeral OS disks: they cannot be stopped and there is no disk to copy`,
      'build an image for this pool instead (`headstart image`)',
    );
  }
  if (model.isSpot)
    refuse(
      'spot',
      `${name} is a Spot pool: its instances may be evicted while they are stopped`,
      'take the prototype from a regular pool',
    );
  if (model.hasAutomaticOsUpgrade || model.upgrades !== 'manual') {
    refuse(
      'not-manual',
      `${name} upgrades its instances automatically (${model.hasAutomaticOsUpgrade ? 'automatic OS upgrade' : model.upgrades}): a model change would restart its nodes without a drain`,
      `set the upgrade policy of ${name} to manual`,
    );
  }
  if (world.definition && world.definition.osState !== model.osState) {
    refuse(
      'os-state',
      `the definition ${world.definition.name} is ${world.definition.osState} and ${name} is ${model.osState}: the cloud refuses the switch`,
      'delete the definition, or use another gallery (--gallery)',
    );
  }
  const foreign = world.versions.find(({ tags }) => isOfOtherPool(tags, pool.ref));
  if (foreign) {
    refuse(
      'other-pool',
      `version ${foreign.name} of ${world.definition?.name} belongs to another pool called ${name} (${foreign.tags[TAGS.pool]})`,
      'give this pool a gallery of its own with --gallery',
    );
  }
  if (world.savedModel.state === 'stale' && world.savedModel.run === scene.run.id) {
    refuse(
      'model-changed',
      `the model of ${name} was changed during this run: the switch would overwrite it, and its bootstrap is not saved`,
      'run the same command again: it continues with the new model',
    );
  }
  const { snapshot } = world;
  if (snapshot && !isOfDonor(snapshot.tags, scene) && !isAbandonedSnapshot(scene)) {
    const owner = snapshot.tags[TAGS.donor];
    const isGone = world.isSnapshotDonorGone === true || owner === undefined || owner === intent.nodeName;
    refuse(
      'other-snapshot',
      `there is a snapshot of ${ownerOf(snapshot.tags, scene) ?? 'an unknown donor'} for ${name}: an earlier run of that donor is unfinished`,
      `headstart prototype run ${isGone ? `--pool ${name}` : `--node ${owner}`} finishes it; or delete the snapshot ${snapshot.name}`,
    );
  }
  return found;
}

function aboutVersion(scene: Scene): Refusal[] {
  const version = targetVersion(scene);
  const because = version && badReason(version);
  if (version && because !== undefined) {
    const clear = `headstart prototype rollback --pool ${scene.world.pool.ref.name} --to ${version.name} --clear-bad`;
    return [
      {
        code: 'prototype/bad-version',
        reason: `version ${version.name} is marked bad (${because}), and there is at most one version a day`,
        next: `run again tomorrow, which makes a new version; if ${version.name} is good after all: ${clear}`,
      },
    ];
  }
  if (!version || version.state === 'failed') return [];
  if (isOfDonor(version.tags, scene)) return aboutSeal(version, scene);
  const donor = ownerOf(version.tags, scene) ?? 'another donor';
  return [
    {
      code: 'prototype/one-a-day',
      reason: `version ${version.name} was already made today, from ${donor}: there is at most one a day`,
      next: 'try again tomorrow, or delete that version if it is not in use',
    },
  ];
}

/** A version of an earlier release has no proof that its disk was sealed. */
function aboutSeal(version: Version, scene: Scene): Refusal[] {
  if (version.tags[TAGS.sealed] !== undefined || isSwitched(scene)) return [];
  return [
    {
      code: 'prototype/unproven-version',
      reason: `version ${version.name} does not say that its disk was sealed: clones might share the identity of ${scene.intent.nodeName}`,
      next: `delete version ${version.name}, then run the same command again; or try again tomorrow`,
    },
  ];
}

function aboutDonor({ world, intent, run }: Scene): Refusal[] {
  const { node, donor } = world;
  if (!donor || !node) {
    return [
      {
        code: 'prototype/no-donor',
        reason: `${intent.nodeName} is no longer a node of ${world.pool.ref.name}`,
        next: `headstart prototype candidates --pool ${world.pool.ref.name}`,
      },
    ];
  }
  const source = donor.image?.kind === 'version' ? donor.image.id.toLowerCase() : undefined;
  const version = world.versions.find(({ id }) => id.toLowerCase() === source);
  // It may be marked while the run is active.
  if (version && badReason(version) !== undefined && !intent.mayBeUnfit) {
    return [
      {
        code: 'prototype/unfit-donor',
        reason: `${intent.nodeName} was made from version ${version.name}, which is marked bad (${badReason(version)})`,
        next: `headstart prototype candidates --pool ${world.pool.ref.name}, or give --allow-unfit`,
      },
    ];
  }
  // After this run has taken the node out of service, the run itself caused the node's state.
  if (readPrior(node)?.run === run.id) return [];
  const found: Refusal[] = [];
  if (!node.isReady) {
    found.push({
      code: 'prototype/not-ready',
      reason: `${intent.nodeName} is not Ready`,
      next: 'choose a node that is',
    });
  }
  if (world.podsRefused.length > 0) {
    found.push({
      code: 'prototype/drain-refused',
      reason: `no controller would recreate these pods after a drain: ${world.podsRefused.join(', ')}`,
      next: 'move them yourself, or give --drain-force',
    });
  }
  if (donor.isSpot) {
    found.push({
      code: 'prototype/spot',
      reason: `${intent.nodeName} is a Spot instance`,
      next: 'choose a regular one',
    });
  }
  const poolGb = world.pool.model.osDiskGb;
  if (donor.osDisk && poolGb !== undefined && donor.osDisk.sizeGb > poolGb) {
    found.push({
      code: 'prototype/disk-too-large',
      reason: `the OS disk of ${intent.nodeName} has ${donor.osDisk.sizeGb} GB, but ${world.pool.ref.name} gives new instances ${poolGb} GB: they could not be created from it`,
      next: `raise the OS disk size of ${world.pool.ref.name} to ${donor.osDisk.sizeGb} GB, or choose a donor whose disk was not grown`,
    });
  }
  if (!donor.osDisk) {
    found.push({
      code: 'prototype/no-disk',
      reason: `${intent.nodeName} has no managed OS disk`,
      next: 'choose another pool',
    });
  }
  return found;
}

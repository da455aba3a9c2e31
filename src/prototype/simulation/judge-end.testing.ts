// prototype/simulation/judge-end.testing.ts: what must be true when the world is quiet and the commands have run again?

import type { FakeInstance } from '../../vms/fake/fake-provider.ts';
import { AUTOSCALER_ANNOTATION, DONOR_TAG, PRIOR_ANNOTATION, SEALED_ANNOTATION, STOPPED_ANNOTATION } from '../names.ts';
import { HOUR, type World } from './world.testing.ts';

/** Every machine is in service, as its operator left it. */
export function judgeEnd(world: World): void {
  for (const instance of world.pool.instances) judgeInstance(world, instance);
  for (const { holder, renewedMs, durationMs } of world.cluster.leases.values()) {
    if (renewedMs + durationMs > world.nowMs) world.violated(`${holder} still holds the pool`);
  }
}

function judgeInstance(world: World, { computerName, power, tags, protection }: FakeInstance): void {
  const node = world.cluster.nodes.get(computerName);
  const left = world.expected.get(computerName);
  if (tags[DONOR_TAG] !== undefined) world.violated(`${computerName} still has the tag of a run`);
  if (world.unmarked.has(computerName)) return;
  if (power !== 'running') {
    world.violated(`${computerName} was left ${power}`);
    return;
  }
  if (!node || !left) {
    world.violated(`${computerName} has no Node`);
    return;
  }
  for (const key of [PRIOR_ANNOTATION, SEALED_ANNOTATION, STOPPED_ANNOTATION]) {
    if (node.annotations[key] !== undefined) world.violated(`${computerName} still has the annotation ${key}`);
  }
  if (left.isUnschedulable !== 'either' && left.isUnschedulable !== node.isUnschedulable) {
    world.violated(`${computerName} was left ${node.isUnschedulable ? 'cordoned' : 'uncordoned'}`);
  }
  if (node.annotations[AUTOSCALER_ANNOTATION] !== left.guard) {
    world.violated(`${computerName} was left with ${AUTOSCALER_ANNOTATION}=${node.annotations[AUTOSCALER_ANNOTATION]}`);
  }
  if (JSON.stringify(protection) !== left.protection) {
    world.violated(`${computerName} was left with the protection ${JSON.stringify(protection)}`);
  }
}

/** The next day: a pool with a fit node has a new version, and nothing of the run is left. */
export function judgePool(world: World): void {
  if (!world.pool.instances.some((instance) => isFitDonor(world, instance))) return;
  const { image } = world.pool.model;
  const today = new Date(world.nowMs).toISOString().slice(0, 10).replaceAll('-', '.');
  if (image.kind !== 'version' || !image.id.endsWith(`/${today}`)) {
    world.violated('no version can be made any more, although the pool has a fit node');
    return;
  }
  if (world.provider.state.snapshots.size > 0) world.violated('the snapshot was left behind');
  if (world.provider.state.versions.get(image.id)?.isExcludedFromLatest)
    world.violated('the version is still excluded');
}

export function isFitDonor(world: World, { computerName, image, power, vmId }: FakeInstance): boolean {
  const node = world.cluster.nodes.get(computerName);
  return (
    node !== undefined &&
    node.systemUuid === vmId &&
    power === 'running' &&
    node.isReady &&
    !node.isUnschedulable &&
    (node.readySinceMs ?? 0) <= world.nowMs - 2 * HOUR &&
    !(image !== undefined && 'id' in image && isBad(world, image.id))
  );
}

/** A rollback left it, or was ordered to and found nothing to change. */
function isBad({ left, judgedBad }: World, id: string): boolean {
  return left.has(id) || judgedBad.has(id.split('/').at(-1)!);
}

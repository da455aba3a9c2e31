// prototype/simulation/judge-order.testing.ts: may this process change that now? Judged for every order when it reaches the service.

import type { VersionSpec } from '../../vms/gallery.ts';
import type { ImageRef, InstanceRef, Pool } from '../../vms/pools.ts';
import type { ModelChange } from '../../vms/publisher.ts';
import type { SnapshotSpec } from '../../vms/snapshots.ts';
import type { SimProcess } from './process.testing.ts';
import { SECRET, type World } from './world.testing.ts';

export interface SentOrder {
  name: string;
  args: readonly unknown[];
  /** Whether its process held the pool when it was sent. */
  wasHeld: boolean;
}

export function judgeOrder(world: World, process: SimProcess, { name, args, wasHeld }: SentOrder): void {
  judgeHold(world, process, name, wasHeld);
  const [first, second] = args;
  switch (name) {
    case 'stop':
    case 'deallocate':
      world.stopOrders.set((first as InstanceRef).id, process);
      return;
    case 'createSnapshot':
      judgeSnapshot(world, process, first as SnapshotSpec);
      return;
    case 'beginVersion': {
      const { name: version, snapshotId } = first as VersionSpec;
      const flaw = world.snapshotFlaws.get(snapshotId);
      if (flaw !== undefined) world.violated(`version ${version} was made from a disk that was ${flaw}`);
      return;
    }
    case 'deleteVersion':
      judgeDeletion(world, process, `${(first as { id: string }).id}/versions/${second as string}`);
      return;
    case 'deleteSnapshot':
      judgeSnapshotDeletion(world, process, first as string);
      return;
    case 'changeModel':
      judgeChange(world, process, first as Pool, second as ModelChange);
      return;
    case 'tagInstance':
    case 'tagPool':
      judgeText(world, `a tag of ${process.name}`, JSON.stringify(second));
      return;
    case 'tagVersion':
      judgeText(world, `a tag of ${process.name}`, JSON.stringify(args[2]));
      return;
  }
}

/** Two processes never change one pool at once: an order outside the own hold is not sent, and none arrives in another's. */
function judgeHold(world: World, process: SimProcess, name: string, wasHeld: boolean): void {
  const holder = holderOf(world);
  if (holder === process.id) return;
  if (holder !== undefined) {
    const who = world.processNames.get(holder) ?? holder;
    world.violated(`"${name}" of ${process.name} was sent while ${who} held the pool`);
  } else if (!wasHeld) world.violated(`"${name}" of ${process.name} was sent after its hold had ended`);
}

/** By the clock of the API server. */
export function holderOf({ cluster, nowMs }: World): string | undefined {
  for (const hold of cluster.leases.values()) if (hold.renewedMs + hold.durationMs > nowMs) return hold.holder;
  return undefined;
}

function judgeSnapshot(world: World, process: SimProcess, { name, sourceDiskId }: SnapshotSpec): void {
  const instance = world.pool.instances.find(({ osDisk }) => osDisk?.id === sourceDiskId);
  if (!instance || instance.power === 'running') return;
  const disk = world.diskOf(instance.vmId);
  const undrained = (disk.off?.pods ?? []).filter(
    ({ uid, addedMs }) => addedMs < process.startedMs || disk.off?.podsSeen?.has(uid),
  );
  const flaw = !disk.sealedBy.has(process.id)
    ? 'not sealed by the run that copied it'
    : undrained.length > 0
      ? `stopped with ${undrained.map((pod) => pod.name).join(', ')} on it`
      : undefined;
  world.snapshotFlaws.set(`/snapshots/${name}`, flaw);
  if (instance.image && 'id' in instance.image && world.left.has(instance.image.id)) {
    world.violated(`${instance.computerName} is the donor, but it was made from a version that was rolled back`);
  }
}

function judgeDeletion(world: World, process: SimProcess, id: string): void {
  const refersTo = (image: ImageRef | undefined) => image !== undefined && 'id' in image && image.id === id;
  if (refersTo(world.pool.model.image)) world.violated(`${process.name} deleted ${id}, which the pool starts from`);
  const user = world.pool.instances.find(({ image }) => refersTo(image));
  if (user) world.violated(`${process.name} deleted ${id}, which ${user.computerName} runs`);
}

function judgeSnapshotDeletion(world: World, process: SimProcess, name: string): void {
  for (const [id, version] of world.versions) {
    const isBeingMade = world.nowMs < Math.min(version.readyMs, version.failsMs);
    if (version.snapshot === `/snapshots/${name}` && isBeingMade && world.provider.state.versions.has(id)) {
      world.violated(`${process.name} deleted the snapshot that version ${id} is being made from`);
    }
  }
}

function judgeChange(world: World, process: SimProcess, seen: Pool, { image, tags }: ModelChange): void {
  judgeText(world, `a tag of ${process.name}`, JSON.stringify(tags));
  if (seen.etag !== world.pool.etag || image.kind !== 'version') return;
  if (!process.name.startsWith('rollback') && world.left.has(image.id)) {
    world.violated(`${process.name} offers ${nameOf(image.id)} again, which was rolled back`);
  }
  if (world.pool.model.image.kind === 'version' || process.name.startsWith('rollback')) return;
  const saved = savedImage(world);
  if (saved === undefined && world.secretDeletedMs < process.startedMs) {
    world.violated(`${process.name} replaced a model that a person set, and no way back was saved`);
  } else if (saved !== undefined && saved !== world.personImage) {
    world.violated(`${process.name} replaced a model that a person set, but the saved one is another`);
  }
}

const MADE: Readonly<Record<string, string>> = {
  createSnapshot: 'a snapshot',
  beginVersion: 'a version',
  changeModel: 'the model',
};

/** After an order took effect. */
export function judgeEffect(world: World, process: SimProcess, name: string, args: readonly unknown[]): void {
  const [first] = args;
  const made = MADE[name];
  if (made !== undefined) process.made.add(made);
  if (name === 'beginVersion') world.versionBegan(first as VersionSpec);
  if (name === 'holdLease') world.holdRequested(process);
  if (name === 'writeSecret' && savedImage(world)?.includes('"kind":"version"')) {
    world.violated(`${process.name} saved a version of our own as the original model`);
  }
  if (name === 'tagVersion' && process.name.startsWith('rollback')) world.judgedBad.add(String(args[1]));
  if (name === 'recordEvent') judgeText(world, `an Event of ${process.name}`, JSON.stringify(args.slice(1, 3)));
  if (name === 'changeModel') {
    const before = (first as Pool).model.image;
    const { image } = args[1] as ModelChange;
    const isChanged = JSON.stringify(world.pool.model.image) === JSON.stringify(image);
    if (isChanged && process.name.startsWith('rollback')) {
      if (before.kind === 'version' && JSON.stringify(before) !== JSON.stringify(image)) world.left.add(before.id);
      if (image.kind === 'version') world.left.delete(image.id);
    }
  }
  if (name === 'changeModel' || name === 'deleteVersion') judgeModel(world);
}

/** At every moment: what new instances start from is whole, replicated, sealed and not deleted. */
export function judgeModel(world: World): void {
  const { image, bootstrap, extensions } = world.pool.model;
  const hasScripts = extensions.some(({ type }) => type === 'CustomScript');
  if (image.kind !== 'version') {
    if (bootstrap === 'none' || !hasScripts) world.violated('the pool has its old image without its bootstrap');
    return;
  }
  if (bootstrap !== 'none' || hasScripts) world.violated('the pool has a new image with its old bootstrap');
  if (!world.provider.state.versions.has(image.id))
    world.violated(`the pool starts from ${image.id}, which is deleted`);
  else if (!world.isReady(image.id)) world.violated(`the pool starts from ${image.id}, which is not replicated`);
}

export function judgeText(world: World, what: string, text: string | undefined): void {
  if (text?.includes(SECRET)) world.violated(`${what} contains the bootstrap secret`);
}

function savedImage(world: World): string | undefined {
  for (const [name, { recipe }] of world.cluster.secrets) {
    if (!name.startsWith('headstart-') || recipe === undefined) continue;
    return JSON.stringify((JSON.parse(recipe) as { image: ImageRef }).image);
  }
  return undefined;
}

function nameOf(id: string): string {
  return `version ${id.split('/').at(-1)}`;
}

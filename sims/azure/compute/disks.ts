// sims/azure/compute/disks.ts: managed disks: those of instances, and free ones.
import { ArmError, resourceNotFound } from '../service/arm-error.ts';
import type { ArmAnswer, ArmCall } from '../service/call.ts';
import { type JsonObject, mergeObjects, numberAt, objectAt, stringAt } from '../service/json.ts';
import { acceptedWithoutBody, asyncHeader, begin, locationHeader } from '../service/operations.ts';
import { page } from '../service/pages.ts';
import { tagsOf } from '../service/tags.ts';
import { groupId, keyOf, type Power, PROVIDER, type SimDisk, type SimWorld, timestamp, uuid } from '../world.ts';
import { encryptionOf } from './births.ts';

export function getDisk(world: SimWorld, call: ArmCall): ArmAnswer {
  return { status: 200, body: diskBody(world, requireDisk(world, call)) };
}

export function listDisks(world: SimWorld, call: ArmCall): ArmAnswer {
  const prefix = call.params.group === undefined ? '/' : `${keyOf(groupId(world, call.params.group))}/`;
  const value = Object.values(world.disks)
    .filter((disk) => keyOf(disk.id).startsWith(prefix))
    .map((disk) => diskBody(world, disk));
  return page(call, value);
}

export function putDisk(world: SimWorld, call: ArmCall): ArmAnswer {
  const id = diskId(world, call);
  const asked = objectAt(call.body, 'properties') ?? {};
  const before = world.disks[keyOf(id)];
  const uniqueId = before?.uniqueId ?? uuid(world);
  const sizeGb = numberAt(asked, 'diskSizeGB') ?? sourceSize(world, asked) ?? 32;
  const disk: SimDisk = {
    id,
    name: call.params.disk ?? '',
    location: before?.location ?? stringAt(call.body, 'location') ?? '',
    tags: tagsOf(call.body),
    createdMs: before?.createdMs ?? call.nowMs,
    sku: stringAt(call.body, 'sku', 'name') ?? before?.sku ?? 'Standard_LRS',
    uniqueId,
    managedBy: before?.managedBy ?? null,
    properties: {
      ...mergeObjects(before?.properties ?? {}, asked),
      diskSizeGB: sizeGb,
      diskSizeBytes: sizeGb * 2 ** 30,
      encryption: encryptionOf(stringAt(asked, 'encryption', 'diskEncryptionSetId')),
      networkAccessPolicy: 'AllowAll',
      publicNetworkAccess: 'Enabled',
      timeCreated: timestamp(before?.createdMs ?? call.nowMs),
      provisioningState: 'Updating',
      diskState: before?.managedBy ? 'Attached' : 'Unattached',
      uniqueId,
    },
  };
  world.disks[keyOf(id)] = disk;
  const operation = begin(world, call, {
    kind: 'DiskOperations',
    location: disk.location,
    on: id,
    tookMs: world.timing.deleteSnapshotMs,
    effect: { kind: 'disk-made', id },
  });
  const headers = { ...asyncHeader(world, call, operation), ...locationHeader(world, call, operation) };
  return {
    status: 202,
    headers,
    body: { ...shortBody(disk), properties: { ...asked, provisioningState: 'Updating' } },
  };
}

export function deleteDisk(world: SimWorld, call: ArmCall): ArmAnswer {
  const disk = world.disks[keyOf(diskId(world, call))];
  if (!disk) return { status: 204 };
  if (disk.managedBy !== null) {
    throw new ArmError(409, 'OperationNotAllowed', `Disk ${disk.name} is attached to VM ${disk.managedBy}.`);
  }
  const operation = begin(world, call, {
    kind: 'DiskOperations',
    location: disk.location,
    on: disk.id,
    tookMs: world.timing.deleteSnapshotMs,
    effect: { kind: 'delete-disk', id: disk.id },
  });
  return acceptedWithoutBody(world, call, operation);
}

function requireDisk(world: SimWorld, call: ArmCall): SimDisk {
  const disk = world.disks[keyOf(diskId(world, call))];
  if (disk) return disk;
  throw resourceNotFound('Microsoft.Compute/disks', call.params.disk ?? '', call.params.group ?? '');
}

function diskId(world: SimWorld, { params }: ArmCall): string {
  return `${groupId(world, params.group ?? '')}/${PROVIDER}/disks/${params.disk}`;
}

function sourceSize(world: SimWorld, asked: JsonObject): number | undefined {
  const source = keyOf(stringAt(asked, 'creationData', 'sourceResourceId') ?? '');
  return world.snapshots[source]?.sizeGb ?? numberAt(world.disks[source]?.properties, 'diskSizeGB');
}

function shortBody({ name, id, location, tags, sku }: SimDisk): JsonObject {
  return {
    name,
    id,
    type: 'Microsoft.Compute/disks',
    location,
    tags,
    sku: { name: sku, tier: sku.split('_')[0] ?? sku },
  };
}

function isReleased(power: Power): boolean {
  return power === 'deallocated' || power === 'hibernated';
}

/** Attached while the VM runs or is stopped; reserved once it is deallocated. */
export function diskBody(world: SimWorld, disk: SimDisk): JsonObject {
  const owner = disk.managedBy === null ? undefined : world.instances[keyOf(disk.managedBy)];
  const diskState = owner ? (isReleased(owner.power) ? 'Reserved' : 'Attached') : 'Unattached';
  return {
    ...shortBody(disk),
    ...(disk.managedBy !== null && { managedBy: disk.managedBy }),
    properties: { ...disk.properties, diskState },
  };
}

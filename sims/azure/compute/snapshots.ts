// sims/azure/compute/snapshots.ts: snapshots of disks.
import { ArmError, resourceNotFound } from '../service/arm-error.ts';
import type { ArmAnswer, ArmCall } from '../service/call.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../service/json.ts';
import { acceptedWithoutBody, asyncHeader, begin, isBusy, locationHeader, takesEffect } from '../service/operations.ts';
import { page } from '../service/pages.ts';
import { tagsOf } from '../service/tags.ts';
import { groupId, keyOf, PROVIDER, type SimDisk, type SimSnapshot, type SimWorld, timestamp, uuid } from '../world.ts';
import { encryptionOf } from './births.ts';
import { regionKey } from './image-references.ts';

export function getSnapshot(world: SimWorld, call: ArmCall): ArmAnswer {
  return { status: 200, body: snapshotBody(requireSnapshot(world, call), call.nowMs) };
}

export function listSnapshots(world: SimWorld, call: ArmCall): ArmAnswer {
  const prefix = call.params.group === undefined ? '/' : `${keyOf(groupId(world, call.params.group))}/`;
  const value = Object.values(world.snapshots)
    .filter((snapshot) => keyOf(snapshot.id).startsWith(prefix))
    .map((snapshot) => snapshotBody(snapshot, call.nowMs));
  return page(call, value);
}

export function putSnapshot(world: SimWorld, call: ArmCall): ArmAnswer {
  const id = snapshotId(world, call);
  const before = world.snapshots[keyOf(id)];
  if (before) return retag(world, call, before);
  const asked = objectAt(call.body, 'properties') ?? {};
  const location = stringAt(call.body, 'location') ?? '';
  const source = requireSource(world, asked, location);
  const name = requireName(call.params.snapshot ?? '');
  const snapshot: SimSnapshot = {
    id,
    name,
    location,
    tags: tagsOf(call.body),
    createdMs: call.nowMs,
    sku: stringAt(call.body, 'sku', 'name') ?? 'Standard_LRS',
    uniqueId: uuid(world),
    state: 'Updating',
    sourceDiskId: source.id,
    sourceUniqueId: source.uniqueId,
    sizeGb: numberAt(source.properties, 'diskSizeGB') ?? 30,
    isIncremental: asked.incremental === true,
    completesMs: call.nowMs + world.timing.snapshotMs * call.slowdown,
    properties: { ...inheritedFrom(source), ...accessOf(asked), encryption: encryptionFor(source, asked) },
  };
  world.snapshots[keyOf(id)] = snapshot;
  return begun(world, call, snapshot, asked, world.timing.snapshotMs);
}

/** Only the tags of an existing snapshot can change. */
function retag(world: SimWorld, call: ArmCall, snapshot: SimSnapshot): ArmAnswer {
  const asked = objectAt(call.body, 'properties') ?? {};
  const source = stringAt(asked, 'creationData', 'sourceResourceId');
  if (source !== undefined && keyOf(source) !== keyOf(snapshot.sourceDiskId)) {
    throw new ArmError(409, 'PropertyChangeNotAllowed', "Changing property 'creationData' is not allowed.");
  }
  if (isBusy(world, snapshot.id)) throw busy(snapshot);
  if (call.body.tags !== undefined && takesEffect(call.fate)) {
    snapshot.tags = tagsOf(call.body);
  }
  return begun(world, call, snapshot, asked, 0);
}

export function patchSnapshot(world: SimWorld, call: ArmCall): ArmAnswer {
  return retag(world, call, requireSnapshot(world, call));
}

export function deleteSnapshot(world: SimWorld, call: ArmCall): ArmAnswer {
  const snapshot = world.snapshots[keyOf(snapshotId(world, call))];
  if (!snapshot) return { status: 204 };
  if (isBusy(world, snapshot.id)) throw busy(snapshot);
  const operation = begin(world, call, {
    kind: 'DiskOperations',
    location: snapshot.location,
    on: snapshot.id,
    tookMs: world.timing.deleteSnapshotMs,
    effect: { kind: 'delete-snapshot', id: snapshot.id },
  });
  return acceptedWithoutBody(world, call, operation);
}

export function grantAccess(world: SimWorld, call: ArmCall): ArmAnswer {
  const snapshot = requireSnapshot(world, call);
  if (stringAt(snapshot.properties, 'networkAccessPolicy') === 'DenyAll') {
    throw new ArmError(
      409,
      'OperationNotAllowed',
      `Snapshot ${snapshot.name} cannot be exported: its network access policy is 'DenyAll'.`,
    );
  }
  const operation = begin(world, call, {
    kind: 'DiskOperations',
    location: snapshot.location,
    on: `${snapshot.id}/access`,
    tookMs: world.timing.deleteSnapshotMs,
    effect: { kind: 'access-granted', sas: { accessSAS: `${call.baseUrl}/export/${snapshot.name}` } },
  });
  return acceptedWithoutBody(world, call, operation);
}

export function revokeAccess(world: SimWorld, call: ArmCall): ArmAnswer {
  const snapshot = requireSnapshot(world, call);
  const operation = begin(world, call, {
    kind: 'DiskOperations',
    location: snapshot.location,
    on: `${snapshot.id}/access`,
    tookMs: world.timing.deleteSnapshotMs,
    effect: { kind: 'none' },
  });
  return acceptedWithoutBody(world, call, operation);
}

function begun(world: SimWorld, call: ArmCall, snapshot: SimSnapshot, asked: JsonObject, tookMs: number): ArmAnswer {
  const operation = begin(world, call, {
    kind: 'DiskOperations',
    location: snapshot.location,
    on: snapshot.id,
    tookMs,
    effect: { kind: 'snapshot-made', id: snapshot.id },
  });
  const { name, id, location, tags, sku } = snapshot;
  return {
    status: 202,
    headers: { ...asyncHeader(world, call, operation), ...locationHeader(world, call, operation) },
    body: {
      name,
      id,
      type: 'Microsoft.Compute/snapshots',
      location,
      tags,
      sku: { name: sku },
      properties: {
        creationData: creationOf(snapshot),
        incremental: asked.incremental === true,
        provisioningState: 'Updating',
      },
    },
  };
}

function requireSource(world: SimWorld, asked: JsonObject, location: string): SimDisk {
  const option = stringAt(asked, 'creationData', 'createOption');
  const id = stringAt(asked, 'creationData', 'sourceResourceId');
  if (option !== 'Copy' || id === undefined) {
    throw new ArmError(
      400,
      'InvalidParameter',
      "Required parameter 'creationData' is missing (null), or is not a copy of a disk.",
    );
  }
  const disk = world.disks[keyOf(id)];
  if (!disk) {
    throw new ArmError(404, 'ResourceNotFound', `The Resource '${id}' was not found.`);
  }
  if (regionKey(disk.location) !== regionKey(location)) {
    throw new ArmError(
      400,
      'BadRequest',
      `The source disk is in ${disk.location}; a snapshot has to be in the same region, not in ${location}.`,
    );
  }
  return disk;
}

function requireName(name: string): string {
  if (/^\w[\w.-]{0,78}\w$|^\w$/.test(name)) return name;
  throw new ArmError(400, 'InvalidParameter', `The entity name '${name}' is invalid according to its validation rule.`);
}

function requireSnapshot(world: SimWorld, call: ArmCall): SimSnapshot {
  const snapshot = world.snapshots[keyOf(snapshotId(world, call))];
  if (snapshot) return snapshot;
  throw resourceNotFound('Microsoft.Compute/snapshots', call.params.snapshot ?? '', call.params.group ?? '');
}

function busy(snapshot: SimSnapshot): ArmError {
  return new ArmError(409, 'OperationNotAllowed', `Snapshot ${snapshot.name} has another operation in progress.`);
}

function snapshotId(world: SimWorld, { params }: ArmCall): string {
  return `${groupId(world, params.group ?? '')}/${PROVIDER}/snapshots/${params.snapshot}`;
}

/** Documented: a snapshot of a disk with a customer-managed key must be encrypted with the same key. */
function encryptionFor(disk: SimDisk, asked: JsonObject): JsonObject {
  const has = stringAt(disk.properties, 'encryption', 'diskEncryptionSetId');
  const wants = stringAt(asked, 'encryption', 'diskEncryptionSetId');
  if (keyOf(has ?? '') === keyOf(wants ?? '')) return encryptionOf(has);
  throw new ArmError(
    400,
    'BadRequest',
    `The source disk ${disk.name} is encrypted with ${has ?? 'a platform-managed key'}: a snapshot of it has to be encrypted with the same key.`,
  );
}

function inheritedFrom({ properties }: SimDisk): JsonObject {
  const { osType, hyperVGeneration, securityProfile } = properties;
  return {
    ...(osType !== undefined && { osType }),
    ...(hyperVGeneration !== undefined && { hyperVGeneration }),
    ...(securityProfile !== undefined && { securityProfile }),
  };
}

/** Who may export it. */
function accessOf(asked: JsonObject): JsonObject {
  return {
    networkAccessPolicy: stringAt(asked, 'networkAccessPolicy') ?? 'AllowAll',
    publicNetworkAccess: stringAt(asked, 'publicNetworkAccess') ?? 'Enabled',
  };
}

function creationOf(snapshot: SimSnapshot): JsonObject {
  return { createOption: 'Copy', sourceResourceId: snapshot.sourceDiskId };
}

/** The percentage follows the clock; the state follows the operation. */
export function snapshotBody(snapshot: SimSnapshot, nowMs: number): JsonObject {
  const { name, id, location, tags, sku, createdMs, completesMs, sizeGb } = snapshot;
  const elapsed = completesMs <= createdMs ? 1 : Math.min(1, (nowMs - createdMs) / (completesMs - createdMs));
  const percent = snapshot.state === 'Succeeded' ? 100 : Math.min(99, Math.floor(elapsed * 100));
  return {
    name,
    id,
    type: 'Microsoft.Compute/snapshots',
    location,
    tags,
    sku: { name: sku, tier: sku.split('_')[0] ?? sku },
    properties: {
      ...snapshot.properties,
      creationData: { ...creationOf(snapshot), sourceUniqueId: snapshot.sourceUniqueId },
      diskSizeGB: sizeGb,
      diskSizeBytes: sizeGb * 2 ** 30,
      incremental: snapshot.isIncremental,
      timeCreated: timestamp(createdMs),
      provisioningState: snapshot.state,
      diskState: 'Unattached',
      completionPercent: percent,
      uniqueId: snapshot.uniqueId,
      ...(snapshot.isIncremental && { incrementalSnapshotFamilyId: snapshot.sourceUniqueId }),
    },
  };
}

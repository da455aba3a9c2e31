// sims/azure/compute/image-versions.ts: image versions: made from a snapshot or a disk in a storage account, replicated to regions, hidden from latest, deleted.
import { ArmError, resourceNotFound } from '../service/arm-error.ts';
import type { ArmAnswer, ArmCall } from '../service/call.ts';
import { type JsonObject, mergeObjects, objectAt, objectsAt, stringAt } from '../service/json.ts';
import { asyncHeader, begin, takesEffect } from '../service/operations.ts';
import { page } from '../service/pages.ts';
import { tagsOf } from '../service/tags.ts';
import { keyOf, type SimSnapshot, type SimVersion, type SimWorld } from '../world.ts';
import { deleteThing, requireIdleThing, thingBody } from './gallery-resources.ts';
import { definitionId, requireDefinition } from './image-definitions.ts';
import { regionKey } from './image-references.ts';
import { publishingOf, replicationOf, zoneRefusal } from './publishing.ts';

export function getVersion(world: SimWorld, call: ArmCall): ArmAnswer {
  requireDefinition(world, call);
  const version = requireVersion(world, call);
  const isExpanded = call.query.get('$expand') === 'ReplicationStatus';
  return { status: 200, body: versionBody(version, isExpanded ? call.nowMs : undefined) };
}

/** Lists do not include replication. */
export function listVersions(world: SimWorld, call: ArmCall): ArmAnswer {
  const definition = requireDefinition(world, call);
  const value = Object.values(world.versions)
    .filter((version) => keyOf(version.id).startsWith(`${keyOf(definition.id)}/`))
    .map((version) => versionBody(version, undefined));
  return page(call, value);
}

export function putVersion(world: SimWorld, call: ArmCall): ArmAnswer {
  requireDefinition(world, call);
  const before = world.versions[keyOf(versionId(world, call))];
  return before ? changeVersion(world, call, before) : makeVersion(world, call);
}

export function patchVersion(world: SimWorld, call: ArmCall): ArmAnswer {
  return changeVersion(world, call, requireVersion(world, call));
}

function makeVersion(world: SimWorld, call: ArmCall): ArmAnswer {
  const id = versionId(world, call);
  const name = requireName(call.params.version ?? '');
  const location = stringAt(call.body, 'location') ?? '';
  const asked = structuredClone(objectAt(call.body, 'properties') ?? {});
  const source = requireSource(world, asked, location);
  const publishing = publishingOf(asked, location, call.nowMs);
  const tookMs = world.timing.versionMs;
  const version: SimVersion = {
    id,
    name,
    location,
    tags: tagsOf(call.body),
    createdMs: call.nowMs,
    state: 'Creating',
    sizeGb: source.sizeGb,
    replicatedMs: call.nowMs + (tookMs + world.timing.replicationLagMs) * call.slowdown,
    properties: {
      publishingProfile: publishing,
      storageProfile: {
        osDiskImage: {
          sizeInGB: source.sizeGb,
          hostCaching: stringAt(asked, 'storageProfile', 'osDiskImage', 'hostCaching') ?? 'None',
          source: source.given,
        },
      },
      validationsProfile: { validationOperationStatus: 'NotExecuted' },
      safetyProfile: {
        reportedForPolicyViolation: false,
        allowDeletionOfReplicatedLocations:
          objectAt(asked, 'safetyProfile')?.allowDeletionOfReplicatedLocations === true,
      },
    },
  };
  world.versions[keyOf(id)] = version;
  const refusal = zoneRefusal(world, publishing);
  const operation = begin(world, call, {
    kind: 'capsOperations',
    location,
    on: id,
    tookMs: refusal ? world.timing.definitionMs : tookMs,
    effect: { kind: 'version-ready', id },
    ...(refusal && { error: refusal }),
  });
  return { status: 201, headers: asyncHeader(world, call, operation), body: versionBody(version, undefined) };
}

/** Counts, regions, the exclusion and the end of life may change; the source and the storage of a failed version may not. */
function changeVersion(world: SimWorld, call: ArmCall, version: SimVersion): ArmAnswer {
  requireIdleThing(world, version);
  const asked = structuredClone(objectAt(call.body, 'properties') ?? {});
  for (const part of ['id', 'uri', 'storageAccountId']) {
    const source = stringAt(asked, 'storageProfile', 'osDiskImage', 'source', part);
    const had = stringAt(version.properties, 'storageProfile', 'osDiskImage', 'source', part);
    if (source !== undefined && keyOf(source) !== keyOf(had ?? ''))
      throw notAllowed('storageProfile.osDiskImage.source');
  }
  const before = objectAt(version.properties, 'publishingProfile') ?? {};
  const change = objectAt(asked, 'publishingProfile') ?? {};
  const storage = stringAt(change, 'storageAccountType');
  if (storage !== undefined && storage !== before.storageAccountType)
    throw notAllowed('publishingProfile.storageAccountType');
  if (version.state === 'Failed') {
    throw new ArmError(
      409,
      'OperationNotAllowed',
      `The image version '${version.name}' is in state Failed; delete it and create it again.`,
    );
  }
  const publishing = publishingOf(
    { publishingProfile: mergeObjects(before, change) },
    version.location,
    version.createdMs,
  );
  const isNewRegion = objectsAt(publishing, 'targetRegions').length > objectsAt(before, 'targetRegions').length;
  const isApplied = takesEffect(call.fate);
  const changed = isApplied ? version : structuredClone(version);
  changed.properties.publishingProfile = publishing;
  if (call.body.tags !== undefined) changed.tags = tagsOf(call.body);
  changed.state = 'Updating';
  version.state = 'Updating';
  const tookMs = isNewRegion ? world.timing.versionMs : world.timing.updateVersionMs;
  if (isNewRegion && isApplied)
    version.replicatedMs = call.nowMs + (tookMs + world.timing.replicationLagMs) * call.slowdown;
  const operation = begin(world, call, {
    kind: 'capsOperations',
    location: version.location,
    on: version.id,
    tookMs,
    effect: { kind: 'version-changed', id: version.id },
  });
  return { status: 200, headers: asyncHeader(world, call, operation), body: versionBody(changed, undefined) };
}

export function deleteVersion(world: SimWorld, call: ArmCall): ArmAnswer {
  const version = world.versions[keyOf(versionId(world, call))];
  if (!version) return { status: 204 };
  requireIdleThing(world, version);
  const effect = { kind: 'delete-version', id: version.id } as const;
  return deleteThing(world, call, version, { tookMs: world.timing.deleteVersionMs, effect });
}

function requireVersion(world: SimWorld, call: ArmCall): SimVersion {
  const version = world.versions[keyOf(versionId(world, call))];
  if (version) return version;
  const { gallery, definition, version: name, group = '' } = call.params;
  throw resourceNotFound('Microsoft.Compute/galleries/images/versions', `${gallery}/${definition}/${name}`, group);
}

function versionId(world: SimWorld, call: ArmCall): string {
  return `${definitionId(world, call)}/versions/${call.params.version}`;
}

/** Three 32-bit integers. */
function requireName(name: string): string {
  const parts = name.split('.');
  if (parts.length === 3 && parts.every((part) => /^\d+$/.test(part) && Number(part) < 2 ** 31)) return name;
  throw new ArmError(
    400,
    'InvalidParameter',
    `The gallery image version name '${name}' is invalid: MajorVersion.MinorVersion.Patch, each a 32-bit integer.`,
  );
}

interface Source {
  given: JsonObject;
  sizeGb: number;
}

/** Storage accounts are not simulated: the content and the size of the blob are not checked. */
const BLOB_SIZE_GB = 30;
const STORAGE_ACCOUNT =
  /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.Storage\/storageAccounts\/[^/]+$/i;

/** The two supported sources: a snapshot, or a VHD in a storage account. */
function requireSource(world: SimWorld, asked: JsonObject, location: string): Source {
  const id = stringAt(asked, 'storageProfile', 'osDiskImage', 'source', 'id');
  const uri = stringAt(asked, 'storageProfile', 'osDiskImage', 'source', 'uri');
  if (id !== undefined && uri !== undefined) throw badSource("'id' and 'uri' of a source exclude one another");
  if (uri !== undefined)
    return blobSource(uri, stringAt(asked, 'storageProfile', 'osDiskImage', 'source', 'storageAccountId'));
  if (id === undefined) throw badSource('has no source');
  const snapshot = requireSnapshot(world, id, location);
  for (const target of objectsAt(asked, 'publishingProfile', 'targetRegions')) requireEncryption(snapshot, target);
  return { given: { id }, sizeGb: snapshot.sizeGb };
}

/** A version of an encrypted source has to be encrypted too, in every region (documented for galleries). */
function requireEncryption({ name, properties }: SimSnapshot, target: JsonObject): void {
  const region = stringAt(target, 'name') ?? '';
  const asked = objectAt(target, 'encryption', 'osDiskImage');
  const isCustomers = stringAt(properties, 'encryption', 'diskEncryptionSetId') !== undefined;
  if (isCustomers && stringAt(asked, 'diskEncryptionSetId') === undefined)
    throw new ArmError(
      400,
      'InvalidParameter',
      `The source '${name}' is encrypted with a customer-managed key, and target region '${region}' has no 'encryption.osDiskImage.diskEncryptionSetId'.`,
    );
  const isConfidential = stringAt(properties, 'securityProfile', 'securityType')?.startsWith('ConfidentialVM') ?? false;
  if (isConfidential && stringAt(asked, 'securityProfile', 'confidentialVMEncryptionType') === undefined)
    throw new ArmError(
      400,
      'InvalidParameter',
      `The source '${name}' is the disk of a confidential VM, and target region '${region}' has no 'encryption.osDiskImage.securityProfile'.`,
    );
}

function blobSource(uri: string, storageAccountId: string | undefined): Source {
  if (!/^https?:$/.test(URL.parse(uri)?.protocol ?? '')) throw badSource(`'${uri}' is not the address of a blob`);
  if (storageAccountId === undefined) throw badSource("a source with 'uri' needs its 'storageAccountId'");
  if (!STORAGE_ACCOUNT.test(storageAccountId))
    throw badSource(`'${storageAccountId}' is not the id of a storage account`);
  return { given: { uri, storageAccountId }, sizeGb: BLOB_SIZE_GB };
}

function badSource(why: string): ArmError {
  return new ArmError(
    400,
    'InvalidParameter',
    `Required parameter 'galleryImageVersion.properties.storageProfile': ${why}.`,
  );
}

/** In the version's own region and complete. */
function requireSnapshot(world: SimWorld, id: string, location: string): SimSnapshot {
  const snapshot = world.snapshots[keyOf(id)];
  if (!snapshot) throw new ArmError(404, 'ResourceNotFound', `The Resource '${id}' was not found.`);
  if (regionKey(snapshot.location) !== regionKey(location)) {
    throw new ArmError(
      400,
      'BadRequest',
      `The source '${id}' is in ${snapshot.location}, the image version in ${location}: they have to be in one region.`,
    );
  }
  if (snapshot.state !== 'Succeeded') {
    throw new ArmError(409, 'OperationNotAllowed', `The source '${id}' is in state ${snapshot.state}.`);
  }
  return snapshot;
}

function notAllowed(property: string): ArmError {
  return new ArmError(
    409,
    'PropertyChangeNotAllowed',
    `Changing property 'galleryImageVersion.properties.${property}' is not allowed.`,
  );
}

/** With a time, the answer includes replication. */
function versionBody(version: SimVersion, nowMs: number | undefined): JsonObject {
  const replication = nowMs === undefined ? {} : { replicationStatus: replicationOf(version, nowMs) };
  const body = thingBody('Microsoft.Compute/galleries/images/versions', version);
  return { ...body, properties: { ...objectAt(body, 'properties'), ...replication } };
}

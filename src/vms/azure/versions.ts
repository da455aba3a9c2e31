// vms/azure/versions.ts: list, read, make, change and delete image versions.
import type { EncryptionImages, GalleryImageVersion } from '@azure/arm-compute';
import type { CallOptions } from '../../base/call-options.ts';
import { NotFound } from '../../base/failures.ts';
import type { Definition, Version, VersionSpec } from '../gallery.ts';
import type { TagChange } from '../pools.ts';
import { parseSnapshotId } from './arm-ids.ts';
import type { Azure } from './azure.ts';
import { apiVersions } from './connect/api-versions.ts';
import type { AzureCall, AzureOperation } from './connect/connection.ts';
import { awaitOperation, checkAccepted, runOperation } from './connect/operations.ts';
import { collectPages, undefinedIfMissing } from './connect/reading.ts';
import { tagsAfter } from './tags.ts';

export async function listVersions(azure: Azure, definition: Definition, options?: CallOptions): Promise<Version[]> {
  return versionsOf(await azure.open(options), definition);
}

export async function versionsOf(call: AzureCall, definition: Definition): Promise<Version[]> {
  const { subscriptionId, resourceGroup } = call.settings;
  const { galleryImageVersions } = call.compute(subscriptionId);
  const what = `versions of ${definition.name}`;
  const listed = await undefinedIfMissing(() =>
    call.run(what, () =>
      collectPages(galleryImageVersions.listByGalleryImage(resourceGroup, definition.gallery, definition.name)),
    ),
  );
  const versions: Version[] = [];
  for (const { name = '' } of listed ?? []) {
    // The list has no replication status; only a read of the version does.
    const found = await findVersion(call, definition, name);
    if (found) versions.push(toVersion(found, definition));
  }
  return versions;
}

export async function readVersion(
  azure: Azure,
  definition: Definition,
  name: string,
  options?: CallOptions,
): Promise<Version | undefined> {
  const found = await findVersion(await azure.open(options), definition, name);
  return found && toVersion(found, definition);
}

/** A version made from a disk in a storage account: a page blob with a fixed VHD. */
export interface BlobVersionSpec extends Omit<VersionSpec, 'snapshotId'> {
  blob: { uri: string; storageAccountId: string };
}

/** Does not wait for the end: creating and replicating take minutes to hours. Callers poll `readVersion`. */
export async function beginVersion(
  azure: Azure,
  spec: VersionSpec | BlobVersionSpec,
  options?: CallOptions,
): Promise<void> {
  const call = await azure.open(options);
  const { subscriptionId, resourceGroup } = call.settings;
  const { definition } = spec;
  const seen = await findVersion(call, definition, spec.name);
  // In progress or done: Azure would treat a second request as an update.
  if (seen && seen.provisioningState !== 'Failed') return;
  // Delete a failed version first: neither its storage type nor its source can be changed.
  if (seen) await removeVersion(call, definition, spec.name);
  const encryption = 'blob' in spec ? undefined : await encryptionOfSnapshot(call, spec.snapshotId);
  const storageAccountType = spec.redundancy === 'zone' ? 'Standard_ZRS' : 'Standard_LRS';
  const order = { verb: 'making', thing: `image version ${definition.name}/${spec.name}` };
  const taken = await call.begin(order, () =>
    call
      .compute(subscriptionId)
      .galleryImageVersions.createOrUpdate(resourceGroup, definition.gallery, definition.name, spec.name, {
        location: spec.region,
        tags: { ...spec.tags },
        storageProfile: { osDiskImage: { source: 'blob' in spec ? { ...spec.blob } : { id: spec.snapshotId } } },
        publishingProfile: {
          replicaCount: spec.replicas,
          excludeFromLatest: spec.isExcludedFromLatest,
          storageAccountType,
          // Must include the version's own region.
          targetRegions: [
            {
              name: spec.region,
              regionalReplicaCount: spec.replicas,
              storageAccountType,
              ...(encryption && { encryption }),
            },
          ],
        },
      }),
  );
  await checkAccepted(call, order, taken);
}

/** A version of a snapshot with a customer-managed key needs the key in each region. */
async function encryptionOfSnapshot(call: AzureCall, id: string): Promise<EncryptionImages | undefined> {
  const snapshot = parseSnapshotId(id);
  if (!snapshot) return undefined;
  const found = await undefinedIfMissing(() =>
    call.run(`snapshot ${snapshot.name}`, () =>
      call.compute(snapshot.subscriptionId).snapshots.get(snapshot.resourceGroup, snapshot.name),
    ),
  );
  const diskEncryptionSetId = found?.encryption?.diskEncryptionSetId;
  return diskEncryptionSetId ? { osDiskImage: { diskEncryptionSetId } } : undefined;
}

export async function setExcludedFromLatest(
  azure: Azure,
  definition: Definition,
  name: string,
  isExcluded: boolean,
  options?: CallOptions,
): Promise<void> {
  const call = await azure.open(options);
  const seen = await requireVersion(call, definition, name);
  if ((seen.publishingProfile?.excludeFromLatest ?? false) === isExcluded) return;
  const order = { verb: isExcluded ? 'hiding' : 'showing', thing: `image version ${definition.name}/${name}` };
  await change(call, definition, seen, order, { excludeFromLatest: isExcluded });
}

export async function tagVersion(
  azure: Azure,
  definition: Definition,
  name: string,
  changes: TagChange,
  options?: CallOptions,
): Promise<void> {
  const call = await azure.open(options);
  const seen = await requireVersion(call, definition, name);
  const tags = tagsAfter(seen.tags, changes);
  if (!tags) return;
  const order = { verb: 'tagging', thing: `image version ${definition.name}/${name}` };
  // Only the tags, so that concurrent changes (excluding the version, adding a region) are kept.
  const answer = await call.send(
    {
      method: 'PATCH',
      url: `${seen.id}?api-version=${apiVersions.galleries}`,
      headers: {},
      body: { tags },
    },
    order.thing,
  );
  await awaitOperation(call, order, answer);
}

async function requireVersion(call: AzureCall, definition: Definition, name: string): Promise<GalleryImageVersion> {
  const seen = await findVersion(call, definition, name);
  if (!seen) throw new NotFound(`image version ${definition.name}/${name}`);
  return seen;
}

/** An update must repeat all changeable fields and the source. */
async function change(
  call: AzureCall,
  { gallery, name: definition }: Definition,
  seen: GalleryImageVersion,
  order: AzureOperation,
  to: { excludeFromLatest: boolean },
): Promise<void> {
  const { subscriptionId, resourceGroup } = call.settings;
  const { replicaCount, targetRegions, storageAccountType, endOfLifeDate } = seen.publishingProfile ?? {};
  const { id, uri, storageAccountId } = seen.storageProfile?.osDiskImage?.source ?? {};
  const source =
    uri !== undefined && storageAccountId !== undefined ? { uri, storageAccountId } : id ? { id } : undefined;
  await runOperation(call, order, () =>
    call.compute(subscriptionId).galleryImageVersions.update(resourceGroup, gallery, definition, seen.name ?? '', {
      publishingProfile: {
        ...to,
        ...(replicaCount !== undefined && { replicaCount }),
        ...(targetRegions && { targetRegions }),
        ...(storageAccountType && { storageAccountType }),
        ...(endOfLifeDate && { endOfLifeDate }),
      },
      // Required, and must equal the original source.
      storageProfile: { ...(source && { osDiskImage: { source } }) },
    }),
  );
}

export async function deleteVersion(
  azure: Azure,
  definition: Definition,
  name: string,
  options?: CallOptions,
): Promise<void> {
  await removeVersion(await azure.open(options), definition, name);
}

async function removeVersion(call: AzureCall, definition: Definition, name: string): Promise<void> {
  const { subscriptionId, resourceGroup } = call.settings;
  await undefinedIfMissing(() =>
    runOperation(call, { verb: 'deleting', thing: `image version ${definition.name}/${name}` }, () =>
      call
        .compute(subscriptionId)
        .galleryImageVersions.delete(resourceGroup, definition.gallery, definition.name, name),
    ),
  );
}

export function toVersion(found: GalleryImageVersion, definition: Definition): Version {
  const { publishingProfile, replicationStatus } = found;
  const region = publishingProfile?.targetRegions?.[0];
  const storage = region?.storageAccountType ?? publishingProfile?.storageAccountType;
  const state = stateOf(found);
  const failure = state === 'failed' ? failureOf(found) : undefined;
  const progress = replicationStatus?.summary?.map((one) => one.progress ?? 0) ?? [];
  const name = found.name ?? '';
  return {
    name,
    // Compared with the ids in models and instances, so it uses the definition's spelling.
    id: `${definition.id}/versions/${name}`,
    state,
    percent: state === 'ready' ? 100 : progress.length > 0 ? Math.min(...progress) : 0,
    isExcludedFromLatest: publishingProfile?.excludeFromLatest ?? false,
    replicas: region?.regionalReplicaCount ?? publishingProfile?.replicaCount ?? 1,
    redundancy: storage === 'Standard_ZRS' ? 'zone' : 'local',
    sizeGb: found.storageProfile?.osDiskImage?.sizeInGB ?? 0,
    createdMs: publishingProfile?.publishedDate?.getTime() ?? 0,
    tags: found.tags ?? {},
    ...(failure && { failure }),
  };
}

/** Ready means created and replicated to every requested region. */
function stateOf({ provisioningState, replicationStatus }: GalleryImageVersion): Version['state'] {
  switch (provisioningState) {
    case 'Creating':
      return 'creating';
    case 'Deleting':
      return 'deleting';
    case 'Failed':
      return 'failed';
    case 'Canceled':
      return 'failed';
    case 'Succeeded':
      return replicationOf(replicationStatus);
    default:
      return 'replicating';
  }
}

/** The aggregate decides; where the service does not know it, the regions do. Without any status, the provisioning state has to do. */
function replicationOf(status: GalleryImageVersion['replicationStatus']): 'ready' | 'replicating' | 'failed' {
  const { aggregatedState, summary = [] } = status ?? {};
  if (aggregatedState === 'Completed') return 'ready';
  if (aggregatedState === 'Failed' || summary.some((one) => one.state === 'Failed')) return 'failed';
  if (aggregatedState === 'InProgress') return 'replicating';
  if (summary.length > 0) return summary.every((one) => one.state === 'Completed') ? 'ready' : 'replicating';
  return aggregatedState === undefined ? 'ready' : 'replicating';
}

function failureOf({ provisioningState, replicationStatus }: GalleryImageVersion): string {
  const reasons = replicationStatus?.summary
    ?.filter((one) => one.state === 'Failed')
    .map((one) => `${one.region ?? 'a region'}: ${one.details || 'no details'}`);
  return reasons?.length ? reasons.join('; ') : `provisioning state ${provisioningState ?? 'unknown'}`;
}

function findVersion(call: AzureCall, definition: Definition, name: string): Promise<GalleryImageVersion | undefined> {
  const { subscriptionId, resourceGroup } = call.settings;
  return undefinedIfMissing(() =>
    call.run(`image version ${definition.name}/${name}`, () =>
      call.compute(subscriptionId).galleryImageVersions.get(resourceGroup, definition.gallery, definition.name, name, {
        expand: 'ReplicationStatus',
      }),
    ),
  );
}

// vms/azure/change-model.ts: change a pool's model in one conditional PATCH of only the fields we own. docs/azure.md says why not a PUT.
// If Azure kept extensions that the PATCH left out, they are deleted one by one.

import { isDeepStrictEqual } from 'node:util';
import type { CallOptions } from '../../base/call-options.ts';
import { UserError } from '../../base/errors.ts';
import { Conflict, NotFound, Refused } from '../../base/failures.ts';
import type { ImageRef, Pool, PoolRef } from '../pools.ts';
import type { ModelChange, SavedModel } from '../publisher.ts';
import { type ScaleSetRef, scaleSetId } from './arm-ids.ts';
import type { Azure } from './azure.ts';
import { apiVersions } from './connect/api-versions.ts';
import type { AzureCall } from './connect/connection.ts';
import { awaitOperation, runOperation } from './connect/operations.ts';
import { poolScaleSet, readScaleSet } from './read-scale-set.ts';
import { type AzureScaleSet, bootstrapTag, extensionSchema, imageOf } from './scale-set.ts';
import { tagsAfter } from './tags.ts';

/** cloud-init does nothing with this. An update cannot remove custom data. */
const emptyCloudConfig = Buffer.from('#cloud-config\n').toString('base64');

export async function changeModel(azure: Azure, pool: Pool, change: ModelChange, options?: CallOptions): Promise<void> {
  const call = await azure.open(options);
  const ref = poolScaleSet(pool.ref);
  const order = { verb: 'changing the model of', thing: `scale set ${ref.name}` };
  const set = await readScaleSet(call, ref);
  if (!set) throw new NotFound(order.thing);
  // The body is based on this read, so it must match the read that the change was planned on.
  if (!isUnchanged(set, pool)) throw new Conflict(`${order.thing} changed since it was read`);
  const answer = await call.send(
    {
      method: 'PATCH',
      url: `${scaleSetId(ref)}?api-version=${apiVersions.compute}`,
      headers: pool.etag ? { 'if-match': pool.etag } : {},
      body: patchOf(set, change),
    },
    order.thing,
  );
  await awaitOperation(call, order, answer);
  const leaving = leavingExtensions(set, change);
  if (leaving.length > 0) await deleteLeftExtensions(call, ref, change, leaving);
}

/** A service without ETags cannot make the change conditional: compare what the change replaces. */
function isUnchanged(set: AzureScaleSet, pool: Pool): boolean {
  if (set.etag || pool.etag) return set.etag === pool.etag;
  const now = { image: imageOf(imageIn(set)), extensions: namesOf(extensionsIn(set)), tags: set.tags ?? {} };
  const then = { image: pool.model.image, extensions: namesOf(pool.model.extensions), tags: pool.tags };
  return isDeepStrictEqual(now, then);
}

/**
 * Only after an update that took effect: a model with the old image needs its bootstrap. Until the last one is deleted, new instances
 * start from the new image and run the old script once more; the other order would leave instances that never join.
 */
async function deleteLeftExtensions(
  call: AzureCall,
  ref: ScaleSetRef,
  change: ModelChange,
  leaving: readonly string[],
): Promise<void> {
  const set = await readScaleSet(call, ref);
  if (!set || !isDeepStrictEqual(lowerCase(imageOf(imageIn(set))), lowerCase(change.image))) return;
  const left = extensionsIn(set).filter(({ name }) => leaving.includes(name));
  const { virtualMachineScaleSetExtensions } = call.compute(ref.subscriptionId);
  for (const name of deletionOrder(left)) {
    try {
      await runOperation(call, { verb: 'deleting', thing: `extension ${name} of scale set ${ref.name}` }, () =>
        virtualMachineScaleSetExtensions.delete(ref.resourceGroup, ref.name, name),
      );
    } catch (error) {
      if (error instanceof NotFound) continue;
      if (!(error instanceof UserError)) throw error;
      throw new Refused(
        `scale set ${ref.name} starts from the new image, but still has the extension ${name}: ${error.message}`,
        'vms/half-changed',
        error,
        `az vmss extension delete --resource-group ${ref.resourceGroup} --vmss-name ${ref.name} --name ${name}; then run the same command again`,
      );
    }
  }
}

/** Those that others wait for come last: Azure refuses to delete them earlier. */
export function deletionOrder(extensions: readonly AzureExtension[]): string[] {
  const order: string[] = [];
  for (let left = [...extensions]; left.length > 0; ) {
    const awaited = new Set(left.flatMap(({ properties }) => properties.provisionAfterExtensions ?? []));
    const free = left.filter(({ name }) => !awaited.has(name));
    const next = free.length > 0 ? free : left; // a cycle, which Azure does not accept
    order.push(...namesOf(next));
    left = left.filter((one) => !next.includes(one));
  }
  return order;
}

function lowerCase(image: ImageRef): ImageRef {
  return 'id' in image ? { ...image, id: image.id.toLowerCase() } : image;
}

export async function readModel(azure: Azure, pool: PoolRef, options?: CallOptions): Promise<SavedModel> {
  const call = await azure.open(options);
  const set = await readScaleSet(call, poolScaleSet(pool));
  if (!set) throw new NotFound(`scale set ${pool.name}`);
  return { image: imageOf(imageIn(set)), extensions: extensionsIn(set).map(writable) };
}

/** Returns the whole body, so that a plan can show it. Custom data and protected settings are secret. */
export function patchOf(set: AzureScaleSet, change: ModelChange): Record<string, unknown> {
  const profile = set.properties.virtualMachineProfile;
  const customData = change.bootstrap === 'none' ? emptyCloudConfig : change.bootstrap.customData;
  if (!profile?.osProfile && change.bootstrap !== 'none')
    throw new Refused(
      `${set.name} is specialized: it has no OS profile and cannot have custom data`,
      'vms/no-os-profile',
    );
  // Always write a value: it is not documented whether an update removes a tag that it omits.
  const bootstrap = { [bootstrapTag]: change.bootstrap === 'none' ? 'none' : 'custom-data' };
  const tags = tagsAfter(set.tags ?? {}, { ...change.tags, ...bootstrap });
  const extensions = extensionsAfter(set, change.extensions);
  return {
    ...(tags && { tags }),
    properties: {
      virtualMachineProfile: {
        storageProfile: { imageReference: imageReferenceOf(set, change.image) },
        // A specialized set refuses an OS profile.
        ...(profile?.osProfile && { osProfile: { customData } }),
        ...(extensions && { extensionProfile: { ...timeBudget(set), extensions } }),
      },
    },
  };
}

/** Sets the fields of the other kinds of reference to null: otherwise Azure refuses the update as a change of image type. */
function imageReferenceOf(set: AzureScaleSet, image: ImageRef): Record<string, string | null> {
  const seen = set.properties.virtualMachineProfile?.storageProfile?.imageReference;
  return {
    id: null,
    publisher: null,
    offer: null,
    sku: null,
    version: null,
    // Only where they are set: older versions of the API do not have them.
    ...(seen?.sharedGalleryImageId && { sharedGalleryImageId: null }),
    ...(seen?.communityGalleryImageId && { communityGalleryImageId: null }),
    ...fieldsOf(image),
  };
}

function fieldsOf(image: ImageRef): Record<string, string> {
  if (image.kind === 'marketplace') {
    const { publisher, offer, sku, version } = image;
    return { publisher, offer, sku, version };
  }
  // By the id, not by the kind: models that earlier releases saved call these images `other`.
  if (/^\/SharedGalleries\//i.test(image.id)) return { sharedGalleryImageId: image.id };
  if (/^\/CommunityGalleries\//i.test(image.id)) return { communityGalleryImageId: image.id };
  return { id: image.id };
}

/** Undefined when there are none before and after. Azure removes extensions that the list omits. */
function extensionsAfter(set: AzureScaleSet, change: ModelChange['extensions']): unknown[] | undefined {
  const seen = extensionsIn(set);
  const added = change.add.map((one) => extensionSchema.parse(one));
  const addedNames = new Set(added.map(({ name }) => name));
  const kept = seen.filter(({ name }) => change.keep.includes(name) && !addedNames.has(name));
  const after = [...kept, ...added];
  if (seen.length === 0 && after.length === 0) return undefined;
  const names = new Set(after.map(({ name }) => name));
  return after.map((one) => {
    const { provisionAfterExtensions, ...properties } = writable(one).properties;
    // Azure refuses an extension that depends on a missing one.
    const waitsFor = (change.after?.[one.name] ?? provisionAfterExtensions)?.filter((name) => names.has(name));
    const secret = addedNames.has(one.name) ? change.protectedSettings?.[one.name] : undefined;
    return {
      name: one.name,
      properties: {
        ...properties,
        ...(waitsFor?.length && { provisionAfterExtensions: waitsFor }),
        ...(secret && Object.keys(secret).length > 0 && { protectedSettings: secret }),
      },
    };
  });
}

/** The extensions that the set has now and not after the change. */
function leavingExtensions(set: AzureScaleSet, { extensions }: ModelChange): string[] {
  const staying = new Set([...extensions.keep, ...namesOf(extensions.add.map((one) => extensionSchema.parse(one)))]);
  return namesOf(extensionsIn(set)).filter((name) => !staying.has(name));
}

function imageIn(set: AzureScaleSet) {
  return set.properties.virtualMachineProfile?.storageProfile?.imageReference;
}

function extensionsIn(set: AzureScaleSet): AzureExtension[] {
  return set.properties.virtualMachineProfile?.extensionProfile?.extensions ?? [];
}

function namesOf(extensions: readonly { name: string }[]): string[] {
  return extensions.map(({ name }) => name);
}

/** Without the fields that Azure adds, and without protected settings: Azure never returns those, and a change has its own. */
function writable(extension: AzureExtension): { name: string; properties: AzureExtension['properties'] } {
  const { provisioningState: _state, protectedSettings: _secret, ...properties } = extension.properties;
  return { name: extension.name, properties };
}

type AzureExtension = ReturnType<typeof extensionSchema.parse>;

function timeBudget(set: AzureScaleSet): { extensionsTimeBudget?: string } {
  const budget = set.properties.virtualMachineProfile?.extensionProfile?.extensionsTimeBudget;
  return budget ? { extensionsTimeBudget: budget } : {};
}

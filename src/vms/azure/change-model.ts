// vms/azure/change-model.ts: change a pool's model in one conditional PATCH of only the fields we own. docs/azure.md says why not a PUT.

import type { CallOptions } from '../../base/call-options.ts';
import { Conflict, NotFound, Refused } from '../../base/failures.ts';
import type { ImageRef, Pool, PoolRef } from '../pools.ts';
import type { ModelChange, SavedModel } from '../publisher.ts';
import { scaleSetId } from './arm-ids.ts';
import type { Azure } from './azure.ts';
import { apiVersions } from './connect/api-versions.ts';
import { awaitOperation } from './connect/operations.ts';
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
  if (set.etag !== pool.etag) throw new Conflict(`${order.thing} changed since it was read`);
  const answer = await call.send(
    {
      method: 'PATCH',
      url: `${scaleSetId(ref)}?api-version=${apiVersions.compute}`,
      headers: { 'if-match': pool.etag },
      body: patchOf(set, change),
    },
    order.thing,
  );
  await awaitOperation(call, order, answer);
}

export async function readModel(azure: Azure, pool: PoolRef, options?: CallOptions): Promise<SavedModel> {
  const call = await azure.open(options);
  const set = await readScaleSet(call, poolScaleSet(pool));
  if (!set) throw new NotFound(`scale set ${pool.name}`);
  const profile = set.properties.virtualMachineProfile;
  return {
    image: imageOf(profile?.storageProfile?.imageReference),
    extensions: (profile?.extensionProfile?.extensions ?? []).map(writable),
  };
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
        storageProfile: { imageReference: imageReferenceOf(change.image) },
        // A specialized set refuses an OS profile.
        ...(profile?.osProfile && { osProfile: { customData } }),
        ...(extensions && { extensionProfile: { ...timeBudget(set), extensions } }),
      },
    },
  };
}

/** Sets the fields of the other kind of reference to null: otherwise Azure refuses the update as a change of image type. */
function imageReferenceOf(image: ImageRef): Record<string, string | null> {
  if (image.kind === 'marketplace') {
    const { publisher, offer, sku, version } = image;
    return { id: null, publisher, offer, sku, version };
  }
  return { id: image.id, publisher: null, offer: null, sku: null, version: null };
}

/** Undefined when there are none before and after. Azure removes extensions that the list omits. */
function extensionsAfter(set: AzureScaleSet, change: ModelChange['extensions']): unknown[] | undefined {
  const seen = set.properties.virtualMachineProfile?.extensionProfile?.extensions ?? [];
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

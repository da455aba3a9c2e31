// vms/azure/galleries.ts: read, make and delete galleries and image definitions.
import type { GalleryImage } from '@azure/arm-compute';
import type { CallOptions } from '../../base/call-options.ts';
import { Refused } from '../../base/failures.ts';
import { type Definition, type DefinitionSpec, unfitFields } from '../gallery.ts';
import type { Azure } from './azure.ts';
import type { AzureCall } from './connect/connection.ts';
import { runOperation } from './connect/operations.ts';
import { collectPages, undefinedIfMissing } from './connect/reading.ts';

export async function readDefinition(
  azure: Azure,
  gallery: string,
  name: string,
  options?: CallOptions,
): Promise<Definition | undefined> {
  return findDefinition(await azure.open(options), gallery, name);
}

async function findDefinition(call: AzureCall, gallery: string, name: string): Promise<Definition | undefined> {
  const { subscriptionId, resourceGroup } = call.settings;
  const found = await undefinedIfMissing(() =>
    call.run(`image definition ${name}`, () =>
      call.compute(subscriptionId).galleryImages.get(resourceGroup, gallery, name),
    ),
  );
  return found && definitionOf(found, gallery, name);
}

export async function ensureDefinition(
  azure: Azure,
  spec: DefinitionSpec,
  region: string,
  options?: CallOptions,
): Promise<Definition> {
  const call = await azure.open(options);
  const { subscriptionId, resourceGroup } = call.settings;
  const { galleries, galleryImages } = call.compute(subscriptionId);
  // Azure would refuse the name too, but with an unspecific bad request.
  if (!/^[A-Za-z0-9](?:[A-Za-z0-9._]{0,78}[A-Za-z0-9])?$/.test(spec.gallery))
    throw new Refused(
      `'${spec.gallery}' is not a valid gallery name: use letters, digits, dots and underscores, at most 80`,
    );

  const gallery = await undefinedIfMissing(() =>
    call.run(`gallery ${spec.gallery}`, () => galleries.get(resourceGroup, spec.gallery)),
  );
  if (!gallery)
    await runOperation(call, { verb: 'making', thing: `gallery ${spec.gallery}` }, () =>
      galleries.createOrUpdate(resourceGroup, spec.gallery, { location: region }),
    );

  const seen = await findDefinition(call, spec.gallery, spec.name);
  if (seen) {
    const differences = differencesOf(seen, spec);
    if (differences.length === 0) return seen;
    throw new Refused(
      `image definition ${spec.gallery}/${spec.name} exists and differs in fields that cannot change: ${differences.join(', ')}`,
      'vms/definition-differs',
    );
  }
  await runOperation(call, { verb: 'making', thing: `image definition ${spec.name}` }, () =>
    galleryImages.createOrUpdate(resourceGroup, spec.gallery, spec.name, azureDefinition(spec, region)),
  );
  const made = await findDefinition(call, spec.gallery, spec.name);
  if (!made)
    throw new Refused(`image definition ${spec.name} was made but cannot be read back`, 'vms/definition-missing');
  return made;
}

export async function listDefinitions(
  azure: Azure,
  gallery: string,
  options?: CallOptions,
): Promise<Definition[] | undefined> {
  const call = await azure.open(options);
  const { subscriptionId, resourceGroup } = call.settings;
  const found = await undefinedIfMissing(() =>
    call.run(`gallery ${gallery}`, () =>
      collectPages(call.compute(subscriptionId).galleryImages.listByGallery(resourceGroup, gallery)),
    ),
  );
  return found?.map((one) => definitionOf(one, gallery, one.name ?? ''));
}

/** Azure refuses while the definition has versions, including one that was just begun. */
export async function deleteDefinition(
  azure: Azure,
  { gallery, name }: Definition,
  options?: CallOptions,
): Promise<void> {
  const call = await azure.open(options);
  const { subscriptionId, resourceGroup } = call.settings;
  await undefinedIfMissing(() =>
    runOperation(call, { verb: 'deleting', thing: `image definition ${name}` }, () =>
      call.compute(subscriptionId).galleryImages.delete(resourceGroup, gallery, name),
    ),
  );
}

/** Azure refuses while the gallery has definitions. */
export async function deleteGallery(azure: Azure, gallery: string, options?: CallOptions): Promise<void> {
  const call = await azure.open(options);
  const { subscriptionId, resourceGroup } = call.settings;
  await undefinedIfMissing(() =>
    runOperation(call, { verb: 'deleting', thing: `gallery ${gallery}` }, () =>
      call.compute(subscriptionId).galleries.delete(resourceGroup, gallery),
    ),
  );
}

/** Sets every field: defaults differ between API versions. */
function azureDefinition(spec: DefinitionSpec, region: string): GalleryImage {
  const features = {
    ...(spec.securityType !== 'Standard' && { SecurityType: spec.securityType }),
    ...spec.imageFeatures,
  };
  return {
    location: region,
    osType: 'Linux',
    osState: spec.osState === 'generalized' ? 'Generalized' : 'Specialized',
    hyperVGeneration: spec.generation,
    architecture: spec.architecture,
    identifier: { publisher: spec.publisher, offer: spec.offer, sku: spec.sku },
    ...(Object.keys(features).length > 0 && {
      features: Object.entries(features).map(([name, value]) => ({ name, value })),
    }),
    ...(spec.plan && { purchasePlan: spec.plan }),
  };
}

export function definitionOf(found: GalleryImage, gallery: string, name: string): Definition {
  const { name: planName, product, publisher } = found.purchasePlan ?? {};
  const { SecurityType: security, ...imageFeatures } = Object.fromEntries(
    (found.features ?? []).map((feature) => [feature.name ?? '', feature.value ?? '']),
  );
  return {
    id: found.id ?? '',
    gallery,
    name: found.name ?? name,
    osState: found.osState === 'Specialized' ? 'specialized' : 'generalized',
    generation: found.hyperVGeneration === 'V2' ? 'V2' : 'V1',
    architecture: found.architecture === 'Arm64' ? 'Arm64' : 'x64',
    // A definition for several security types (`TrustedLaunchSupported`) also makes ordinary instances.
    securityType: security === 'TrustedLaunch' || security === 'ConfidentialVM' ? security : 'Standard',
    ...(planName && product && publisher && { plan: { name: planName, product, publisher } }),
    ...(Object.keys(imageFeatures).length > 0 && { imageFeatures }),
    ...(found.osType === 'Windows' && { os: 'windows' as const }),
    publisher: found.identifier?.publisher ?? '',
    offer: found.identifier?.offer ?? '',
    sku: found.identifier?.sku ?? '',
  };
}

export function differencesOf(seen: Omit<Definition, 'id'>, wanted: DefinitionSpec): string[] {
  const identity = ['publisher', 'offer', 'sku'] as const;
  return [
    ...unfitFields(seen, wanted),
    ...identity
      .filter((field) => seen[field] !== wanted[field])
      .map((field) => `${field} is ${seen[field]}, needed ${wanted[field]}`),
  ];
}

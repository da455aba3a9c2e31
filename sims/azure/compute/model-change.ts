// sims/azure/compute/model-change.ts: how does a PUT or PATCH of a scale set change its model, and which changes does Azure refuse?
import { isDeepStrictEqual } from 'node:util';
import { ArmError } from '../service/arm-error.ts';
import { fieldAt, isObject, type JsonObject, mergeObjects, objectAt, objectsAt, stringAt } from '../service/json.ts';
import { tagsOf } from '../service/tags.ts';
import type { SimScaleSet, SimWorld } from '../world.ts';
import { requireCapacity } from './capacity.ts';
import {
  findGalleryImage,
  imageKindsOf,
  imageNotFound,
  isManagedImage,
  MARKETPLACE_FIELDS,
  osStateOf,
  requireFitting,
  resolveImage,
} from './image-references.ts';

const TOP = ['sku', 'zones', 'plan', 'identity'];

/** The changed set; `set` itself is not modified. Capacity is in `top.sku`; the caller handles instances. */
export function changedModel(
  world: SimWorld,
  set: SimScaleSet,
  method: 'PUT' | 'PATCH',
  body: JsonObject,
): SimScaleSet {
  const asked = structuredClone(objectAt(body, 'properties') ?? {});
  const next = structuredClone(set);
  for (const key of TOP) {
    const value = body[key];
    if (isObject(value)) next.top[key] = mergeObjects(objectAt(set.top, key) ?? {}, withoutNullCapacity(value));
    else if (value === null) delete next.top[key];
    else if (value !== undefined) next.top[key] = value;
  }
  if (body.tags !== undefined) next.tags = tagsOf(body);
  requireOsProfile(set, method, asked);
  takeSecrets(next, asked);
  if (method === 'PATCH' && world.patchKeepsExtensions) keepOmittedExtensions(set, asked);
  dropReadOnly(asked);
  if (method === 'PUT') {
    dropForgottenDiskSettings(next, asked);
    replaceImageReference(next, asked);
  }
  next.properties = mergeObjects(set.properties, asked);
  requireSameForGood(set, next);
  requireCapacity(next);
  forgetLostSecrets(next);
  requireKnownOrder(next);
  requireAllowedImage(world, set, next);
  // By value: another client sends the same fields in another order.
  if (!isDeepStrictEqual(profileOf(next), profileOf(set)) || !isDeepStrictEqual(next.secrets, set.secrets)) {
    next.modelVersion += 1;
  }
  next.etag += 1;
  return next;
}

/** Custom data, passwords and protected settings are stored separately: new instances get them, answers never contain them. */
export function takeSecrets(set: SimScaleSet, properties: JsonObject): void {
  const osProfile = objectAt(properties, 'virtualMachineProfile', 'osProfile');
  if (osProfile && 'customData' in osProfile) {
    const { customData } = osProfile;
    if (typeof customData === 'string' && customData !== '') set.secrets.customData = requireBase64(customData);
    else delete set.secrets.customData;
    delete osProfile.customData;
  }
  if (osProfile && typeof osProfile.adminPassword === 'string') {
    set.secrets.adminPassword = osProfile.adminPassword;
    delete osProfile.adminPassword;
  }
  for (const extension of objectsAt(properties, 'virtualMachineProfile', 'extensionProfile', 'extensions')) {
    takeProtectedSettings(set, extension);
  }
}

/** An extension that is sent without protected settings keeps its old ones. */
export function takeProtectedSettings(set: SimScaleSet, extension: JsonObject): void {
  const name = stringAt(extension, 'name') ?? '';
  const settings = objectAt(extension, 'properties', 'protectedSettings');
  if (settings) set.secrets.protectedSettings[name] = structuredClone(settings);
  const properties = objectAt(extension, 'properties');
  if (properties) delete properties.protectedSettings;
  delete extension.id;
  delete extension.type;
}

function requireBase64(text: string): string {
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0) return text;
  throw new ArmError(
    400,
    'InvalidParameter',
    'Custom data in OSProfile must be in Base64 encoding and with a maximum length of 87380 characters.',
  );
}

/** A PUT with a profile must include the OS profile that a generalized set needs; a PUT without a profile keeps it. */
function requireOsProfile(set: SimScaleSet, method: 'PUT' | 'PATCH', asked: JsonObject): void {
  const profile = objectAt(asked, 'virtualMachineProfile');
  if (!profile) return;
  const isMissing =
    method === 'PUT' ? profile.osProfile === undefined || profile.osProfile === null : profile.osProfile === null;
  if (set.osState === 'Generalized' && isMissing) {
    throw new ArmError(400, 'InvalidParameter', "Required parameter 'osProfile' is missing (null).");
  }
  if (set.osState === 'Specialized' && isObject(profile.osProfile)) {
    throw new ArmError(400, 'InvalidParameter', "Parameter 'osProfile' is not allowed.");
  }
}

/** Recorded: the only field that a PUT removes when it is missing in the object. */
function dropForgottenDiskSettings(next: SimScaleSet, asked: JsonObject): void {
  const osDisk = objectAt(asked, 'virtualMachineProfile', 'storageProfile', 'osDisk');
  const before = objectAt(next.properties, 'virtualMachineProfile', 'storageProfile', 'osDisk');
  if (osDisk && before && osDisk.diffDiskSettings === undefined) osDisk.diffDiskSettings = null;
}

/** A PUT names the whole image: a gallery image does not keep the publisher of the marketplace image before it. */
function replaceImageReference(next: SimScaleSet, asked: JsonObject): void {
  const image = objectAt(asked, 'virtualMachineProfile', 'storageProfile', 'imageReference');
  const before = objectAt(next.properties, 'virtualMachineProfile', 'storageProfile', 'imageReference');
  if (!image || !before) return;
  for (const field of Object.keys(before)) image[field] ??= null;
}

/** Sent back by a client that changes what it read; only the service sets them. */
function dropReadOnly(asked: JsonObject): void {
  for (const field of ['provisioningState', 'uniqueId', 'timeCreated']) delete asked[field];
  const profile = objectAt(asked, 'virtualMachineProfile');
  if (profile) delete profile.timeCreated;
  const image = objectAt(profile, 'storageProfile', 'imageReference');
  if (image) delete image.exactVersion;
}

function withoutNullCapacity(sku: JsonObject): JsonObject {
  const { capacity, ...others } = sku;
  return capacity === null ? others : sku;
}

const FIXED: readonly string[][] = [
  ['orchestrationMode'],
  ['platformFaultDomainCount'],
  ['virtualMachineProfile', 'osProfile', 'computerNamePrefix'],
  ['virtualMachineProfile', 'osProfile', 'adminUsername'],
  ['virtualMachineProfile', 'storageProfile', 'osDisk', 'osType'],
];

/** Fields of a set that only its creation decides. */
function requireSameForGood(set: SimScaleSet, next: SimScaleSet): void {
  for (const path of FIXED) {
    const [was, is] = [fieldAt(set.properties, ...path), fieldAt(next.properties, ...path)];
    if (was !== undefined && was !== is) throw notAllowed(path.join('.'));
  }
  // From one placement group to several, never back.
  const [wasSingle, isSingle] = [set, next].map(({ properties }) => properties.singlePlacementGroup === true);
  if (isSingle && !wasSingle) throw notAllowed('singlePlacementGroup');
}

function notAllowed(property: string): ArmError {
  return new ArmError(409, 'PropertyChangeNotAllowed', `Changing property '${property}' is not allowed.`, {});
}

function forgetLostSecrets(next: SimScaleSet): void {
  const names = objectsAt(profileOf(next), 'extensionProfile', 'extensions').map((extension) => extension.name);
  for (const name of Object.keys(next.secrets.protectedSettings)) {
    if (!names.includes(name)) delete next.secrets.protectedSettings[name];
  }
}

/** Not documented either way, so a scenario can choose it: the list of a PATCH is merged by name. */
function keepOmittedExtensions(set: SimScaleSet, asked: JsonObject): void {
  const profile = objectAt(asked, 'virtualMachineProfile', 'extensionProfile');
  if (!profile || !Array.isArray(profile.extensions)) return;
  const named = objectsAt(profile, 'extensions');
  const omitted = objectsAt(profileOf(set), 'extensionProfile', 'extensions').filter(
    ({ name }) => !named.some((one) => one.name === name),
  );
  profile.extensions = [...structuredClone(omitted), ...named];
}

/** An extension that waits for a missing one can never start. */
export function requireKnownOrder(set: SimScaleSet): void {
  const extensions = objectsAt(profileOf(set), 'extensionProfile', 'extensions');
  const names = extensions.map((extension) => extension.name);
  if (new Set(names).size < names.length)
    throw new ArmError(400, 'InvalidParameter', 'Two extensions have the same name.');
  for (const extension of extensions) {
    const after = objectAt(extension, 'properties')?.provisionAfterExtensions;
    for (const name of Array.isArray(after) ? after : []) {
      if (names.includes(name ?? null)) continue;
      throw new ArmError(
        400,
        'BadRequest',
        `The extension '${extension.name}' specifies '${name}' in 'provisionAfterExtensions', which is not in the extension profile.`,
      );
    }
  }
}

function requireAllowedImage(world: SimWorld, set: SimScaleSet, next: SimScaleSet): void {
  const [before, after] = [set, next].map((s) => objectAt(profileOf(s), 'storageProfile', 'imageReference') ?? {});
  if (!before || !after || isDeepStrictEqual(before, after)) return;
  const id = stringAt(after, 'id');
  const kinds = imageKindsOf(after);
  const named = MARKETPLACE_FIELDS.filter((field) => after[field] !== undefined);
  if (kinds.length !== 1 || (named.length > 0 && named.length < MARKETPLACE_FIELDS.length)) {
    throw new ArmError(
      409,
      'OperationNotAllowed',
      `The image type may not be changed: the image reference has ${kinds.join(' and ') || 'nothing'}.`,
    );
  }
  requireOsState(world, set, id);
  requireFitting(next, resolveImage(world, after, set.location));
}

/** Documented: the old and the new OS state have to match. */
function requireOsState(world: SimWorld, set: SimScaleSet, id: string | undefined): void {
  if (id === undefined) {
    if (set.osState === 'Specialized') throw otherOsState(set, 'Generalized');
    return;
  }
  const { definition } = findGalleryImage(world, id, set.location);
  if (!definition) {
    if (isManagedImage(id)) return;
    throw imageNotFound(id, set.location);
  }
  if (osStateOf(definition) !== set.osState) throw otherOsState(set, osStateOf(definition));
}

function otherOsState(set: SimScaleSet, asked: string): ArmError {
  return new ArmError(
    409,
    'PropertyChangeNotAllowed',
    `Cannot update scale set '${set.name}': its current OS state is ${set.osState}, which is different from the updated gallery image OS state ${asked}.`,
  );
}

function profileOf(set: SimScaleSet): JsonObject {
  return objectAt(set.properties, 'virtualMachineProfile') ?? {};
}

// sims/azure/compute/image-definitions.ts: image definitions of a gallery, and which of their fields can never change.
import { ArmError, resourceNotFound } from '../service/arm-error.ts';
import type { ArmAnswer, ArmCall } from '../service/call.ts';
import { fieldAt, type JsonObject, mergeObjects, objectAt, stringAt } from '../service/json.ts';
import { takesEffect } from '../service/operations.ts';
import { page } from '../service/pages.ts';
import { keyOf, type SimDefinition, type SimWorld } from '../world.ts';
import { galleryId, requireGallery } from './galleries.ts';
import {
  deleteThing,
  patchedThing,
  putThing,
  requireChildless,
  requireIdleThing,
  thingBody,
  thingFrom,
} from './gallery-resources.ts';

const FIXED = ['osType', 'osState', 'hyperVGeneration', 'architecture', 'identifier', 'features', 'purchasePlan'];

export function getDefinition(world: SimWorld, call: ArmCall): ArmAnswer {
  requireGallery(world, call);
  return { status: 200, body: definitionBody(requireDefinition(world, call)) };
}

export function listDefinitions(world: SimWorld, call: ArmCall): ArmAnswer {
  const gallery = requireGallery(world, call);
  const value = Object.values(world.definitions)
    .filter((definition) => keyOf(definition.id).startsWith(`${keyOf(gallery.id)}/`))
    .map(definitionBody);
  return page(call, value);
}

export function putDefinition(world: SimWorld, call: ArmCall): ArmAnswer {
  const gallery = requireGallery(world, call);
  const id = definitionId(world, call);
  const name = requireName(call.params.definition ?? '');
  const before = world.definitions[keyOf(id)];
  requireIdleThing(world, before);
  const { provisioningState: _, disallowed: __, ...asked } = objectAt(call.body, 'properties') ?? {};
  requireComplete(asked);
  if (before) requireSame(before, asked);
  requireUniqueIdentifier(world, gallery.id, id, asked);
  const properties = { hyperVGeneration: 'V1', architecture: 'x64', ...mergeObjects(before?.properties ?? {}, asked) };
  const definition = { ...thingFrom(call, { id, name, before }), properties };
  world.definitions[keyOf(id)] = definition;
  const work = { tookMs: world.timing.definitionMs, effect: { kind: 'definition-ready', id } } as const;
  return putThing(world, call, { before, thing: definition, work, body: definitionBody });
}

/** Changes what the body names; tags are replaced as a whole. */
export function patchDefinition(world: SimWorld, call: ArmCall): ArmAnswer {
  requireGallery(world, call);
  const before = requireDefinition(world, call);
  requireIdleThing(world, before);
  const { provisioningState: _, ...asked } = objectAt(call.body, 'properties') ?? {};
  requireSame(before, asked);
  const definition = patchedThing(call, before, mergeObjects(before.properties, asked));
  if (takesEffect(call.fate)) world.definitions[keyOf(before.id)] = definition;
  const work = { tookMs: world.timing.definitionMs, effect: { kind: 'thing-changed', id: before.id } } as const;
  return putThing(world, call, { before, thing: definition, work, body: definitionBody });
}

export function deleteDefinition(world: SimWorld, call: ArmCall): ArmAnswer {
  const definition = world.definitions[keyOf(definitionId(world, call))];
  if (!definition) return { status: 204 };
  requireIdleThing(world, definition);
  requireChildless(definition.id, Object.values(world.versions), 'versions');
  const effect = { kind: 'delete-definition', id: definition.id } as const;
  return deleteThing(world, call, definition, { tookMs: world.timing.definitionMs, effect });
}

export function requireDefinition(world: SimWorld, call: ArmCall): SimDefinition {
  const definition = world.definitions[keyOf(definitionId(world, call))];
  if (definition) return definition;
  const name = `${call.params.gallery}/${call.params.definition}`;
  throw resourceNotFound('Microsoft.Compute/galleries/images', name, call.params.group ?? '');
}

export function definitionId(world: SimWorld, call: ArmCall): string {
  return `${galleryId(world, call)}/images/${call.params.definition}`;
}

function requireName(name: string): string {
  if (/^[A-Za-z0-9]([\w.-]{0,78}[A-Za-z0-9])?$/.test(name)) return name;
  throw new ArmError(
    400,
    'InvalidParameter',
    `The gallery image name '${name}' is invalid: up to 80 letters, digits, dashes, underscores and periods.`,
  );
}

function requireComplete(asked: JsonObject): void {
  const limits: [string, number][] = [
    ['publisher', 128],
    ['offer', 64],
    ['sku', 64],
  ];
  for (const [field, longest] of limits) {
    const value = stringAt(asked, 'identifier', field);
    if (value && value.length <= longest && /^[\w.-]+$/.test(value)) continue;
    throw new ArmError(
      400,
      'InvalidParameter',
      `The value '${value ?? ''}' of parameter 'identifier.${field}' is invalid: 1 to ${longest} letters, digits, dashes, underscores and periods.`,
    );
  }
  for (const field of ['osType', 'osState']) {
    if (asked[field] === undefined)
      throw new ArmError(400, 'InvalidParameter', `Required parameter '${field}' is missing (null).`);
  }
}

function requireSame(before: SimDefinition, asked: JsonObject): void {
  for (const field of FIXED) {
    const [was, is] = [fieldAt(before.properties, field), asked[field]];
    if (is === undefined || sorted(was) === sorted(is)) continue;
    throw new ArmError(
      409,
      'PropertyChangeNotAllowed',
      `Changing property 'galleryImage.properties.${field}' is not allowed.`,
    );
  }
}

/** The order of keys is not a difference. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

function requireUniqueIdentifier(world: SimWorld, galleryId: string, id: string, asked: JsonObject): void {
  const existing = Object.values(world.definitions).find(
    (other) =>
      keyOf(other.id) !== keyOf(id) &&
      keyOf(other.id).startsWith(`${keyOf(galleryId)}/`) &&
      sorted(other.properties.identifier).toLowerCase() === sorted(asked.identifier).toLowerCase(),
  );
  if (!existing) return;
  throw new ArmError(
    409,
    'Conflict',
    `Publisher, offer and sku are those of '${existing.name}': the three together have to be unique in a gallery.`,
  );
}

function definitionBody(definition: SimDefinition): JsonObject {
  return thingBody('Microsoft.Compute/galleries/images', definition);
}

// sims/azure/compute/galleries.ts: compute galleries.
import { ArmError, resourceNotFound } from '../service/arm-error.ts';
import type { ArmAnswer, ArmCall } from '../service/call.ts';
import { type JsonObject, mergeObjects, objectAt } from '../service/json.ts';
import { takesEffect } from '../service/operations.ts';
import { page } from '../service/pages.ts';
import { groupId, keyOf, PROVIDER, type SimGallery, type SimWorld } from '../world.ts';
import {
  deleteThing,
  patchedThing,
  putThing,
  requireChildless,
  requireIdleThing,
  thingBody,
  thingFrom,
} from './gallery-resources.ts';

export function getGallery(world: SimWorld, call: ArmCall): ArmAnswer {
  return { status: 200, body: galleryBody(requireGallery(world, call)) };
}

export function listGalleries(world: SimWorld, call: ArmCall): ArmAnswer {
  const prefix = call.params.group === undefined ? '/' : `${keyOf(groupId(world, call.params.group))}/`;
  const value = Object.values(world.galleries)
    .filter((gallery) => keyOf(gallery.id).startsWith(prefix))
    .map(galleryBody);
  return page(call, value);
}

export function putGallery(world: SimWorld, call: ArmCall): ArmAnswer {
  const id = galleryId(world, call);
  const name = requireName(call.params.gallery ?? '');
  const existing = Object.values(world.galleries).find((other) => other.name.toLowerCase() === name.toLowerCase());
  if (existing && keyOf(existing.id) !== keyOf(id)) {
    throw new ArmError(
      409,
      'Conflict',
      `The gallery name '${name}' is taken by '${existing.id}': it has to be unique in the subscription.`,
    );
  }
  const before = world.galleries[keyOf(id)];
  requireIdleThing(world, before);
  const { identifier: _, provisioningState: __, ...asked } = objectAt(call.body, 'properties') ?? {};
  const properties = {
    ...mergeObjects(before?.properties ?? {}, asked),
    identifier: { uniqueName: `${world.subscriptionId}-${name.toUpperCase()}` },
  };
  const gallery = { ...thingFrom(call, { id, name, before }), properties };
  world.galleries[keyOf(id)] = gallery;
  const work = { tookMs: world.timing.galleryMs, effect: { kind: 'gallery-ready', id } } as const;
  return putThing(world, call, { before, thing: gallery, work, body: galleryBody });
}

/** Changes what the body names; tags are replaced as a whole. */
export function patchGallery(world: SimWorld, call: ArmCall): ArmAnswer {
  const before = requireGallery(world, call);
  requireIdleThing(world, before);
  const { identifier: _, provisioningState: __, ...asked } = objectAt(call.body, 'properties') ?? {};
  const gallery = patchedThing(call, before, mergeObjects(before.properties, asked));
  if (takesEffect(call.fate)) world.galleries[keyOf(before.id)] = gallery;
  const work = { tookMs: world.timing.galleryMs, effect: { kind: 'thing-changed', id: before.id } } as const;
  return putThing(world, call, { before, thing: gallery, work, body: galleryBody });
}

export function deleteGallery(world: SimWorld, call: ArmCall): ArmAnswer {
  const gallery = world.galleries[keyOf(galleryId(world, call))];
  if (!gallery) return { status: 204 };
  requireIdleThing(world, gallery);
  requireChildless(gallery.id, Object.values(world.definitions), 'images');
  const effect = { kind: 'delete-gallery', id: gallery.id } as const;
  return deleteThing(world, call, gallery, { tookMs: world.timing.galleryMs, effect });
}

export function requireGallery(world: SimWorld, call: ArmCall): SimGallery {
  const gallery = world.galleries[keyOf(galleryId(world, call))];
  if (gallery) return gallery;
  throw resourceNotFound('Microsoft.Compute/galleries', call.params.gallery ?? '', call.params.group ?? '');
}

export function galleryId(world: SimWorld, { params }: ArmCall): string {
  return `${groupId(world, params.group ?? '')}/${PROVIDER}/galleries/${params.gallery}`;
}

/** Letters, digits, underscores and periods; no dash. */
function requireName(name: string): string {
  if (/^[A-Za-z0-9]([\w.]{0,78}[A-Za-z0-9])?$/.test(name)) return name;
  throw new ArmError(
    400,
    'InvalidParameter',
    `The gallery name '${name}' is invalid: up to 80 letters, digits, underscores and periods, ends being letters or digits.`,
  );
}

function galleryBody(gallery: SimGallery): JsonObject {
  return thingBody('Microsoft.Compute/galleries', gallery);
}

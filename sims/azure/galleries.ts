// sims/azure/galleries.ts: compute galleries.
import { ArmError, resourceNotFound } from './arm-error.ts';
import type { Answer, Call } from './call.ts';
import { type JsonObject, mergeObjects, objectAt, stringAt } from './json.ts';
import { acceptedWithoutBody, asyncHeader, begin, isBusy } from './operations.ts';
import { page } from './pages.ts';
import { tagsOf } from './tags.ts';
import { type Gallery, type GalleryState, groupId, keyOf, PROVIDER, type World } from './world.ts';

export function getGallery(world: World, call: Call): Answer {
  return { status: 200, body: galleryBody(requireGallery(world, call)) };
}

export function listGalleries(world: World, call: Call): Answer {
  const prefix = call.params.group === undefined ? '/' : `${keyOf(groupId(world, call.params.group))}/`;
  const value = Object.values(world.galleries)
    .filter((gallery) => keyOf(gallery.id).startsWith(prefix))
    .map(galleryBody);
  return page(call, value);
}

export function putGallery(world: World, call: Call): Answer {
  const id = galleryId(world, call);
  const name = requireName(call.params.gallery ?? '');
  const twin = Object.values(world.galleries).find((other) => other.name.toLowerCase() === name.toLowerCase());
  if (twin && keyOf(twin.id) !== keyOf(id)) {
    throw new ArmError(
      409,
      'Conflict',
      `The gallery name '${name}' is taken by '${twin.id}': it has to be unique in the subscription.`,
    );
  }
  const before = world.galleries[keyOf(id)];
  requireIdleThing(world, before);
  const { identifier: _, provisioningState: __, ...asked } = objectAt(call.body, 'properties') ?? {};
  const gallery: Gallery = {
    id,
    name,
    location: stringAt(call.body, 'location') ?? '',
    tags: tagsOf(call.body),
    createdMs: before?.createdMs ?? call.nowMs,
    state: before ? 'Updating' : 'Creating',
    properties: {
      ...mergeObjects(before?.properties ?? {}, asked),
      identifier: { uniqueName: `${world.subscriptionId}-${name.toUpperCase()}` },
    },
  };
  world.galleries[keyOf(id)] = gallery;
  const operation = begin(world, call, {
    kind: 'capsOperations',
    location: gallery.location,
    on: id,
    tookMs: world.timing.galleryMs,
    effect: { kind: 'gallery-ready', id },
  });
  return { status: before ? 200 : 201, headers: asyncHeader(world, call, operation), body: galleryBody(gallery) };
}

export function deleteGallery(world: World, call: Call): Answer {
  const gallery = world.galleries[keyOf(galleryId(world, call))];
  if (!gallery) return { status: 204 };
  requireIdleThing(world, gallery);
  requireChildless(gallery.id, Object.values(world.definitions), 'images');
  gallery.state = 'Deleting';
  const operation = begin(world, call, {
    kind: 'capsOperations',
    location: gallery.location,
    on: gallery.id,
    tookMs: world.timing.galleryMs,
    effect: { kind: 'delete-gallery', id: gallery.id },
  });
  return acceptedWithoutBody(world, call, operation);
}

/** What has parts cannot be deleted before them. */
export function requireChildless(id: string, children: readonly { id: string }[], what: string): void {
  const child = children.find((one) => keyOf(one.id).startsWith(`${keyOf(id)}/`));
  if (!child) return;
  throw new ArmError(
    409,
    'CannotDeleteResource',
    `Cannot delete resource while nested resources exist. Some existing nested resource IDs include: '${child.id}'. Please delete all nested ${what} before deleting this resource.`,
  );
}

export function requireIdleThing(
  world: World,
  thing: { id: string; name: string; state: GalleryState } | undefined,
): void {
  if (!thing || !isBusy(world, thing.id)) return;
  throw new ArmError(
    409,
    'Conflict',
    `The resource '${thing.name}' is in state ${thing.state}: another operation on it is in progress.`,
  );
}

export function requireGallery(world: World, call: Call): Gallery {
  const gallery = world.galleries[keyOf(galleryId(world, call))];
  if (gallery) return gallery;
  throw resourceNotFound('Microsoft.Compute/galleries', call.params.gallery ?? '', call.params.group ?? '');
}

export function galleryId(world: World, { params }: Call): string {
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

function galleryBody({ name, id, location, tags, properties, state }: Gallery): JsonObject {
  return {
    name,
    id,
    type: 'Microsoft.Compute/galleries',
    location,
    tags,
    properties: { ...properties, provisioningState: state },
  };
}

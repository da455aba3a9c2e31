// sims/azure/compute/gallery-resources.ts: what galleries, image definitions and versions have in common: their operations take time, they are idle or busy, and they have parts.
import { ArmError } from '../service/arm-error.ts';
import type { ArmAnswer, ArmCall } from '../service/call.ts';
import { type JsonObject, stringAt } from '../service/json.ts';
import { acceptedWithoutBody, asyncHeader, begin, isBusy } from '../service/operations.ts';
import { tagsOf } from '../service/tags.ts';
import { type GalleryState, keyOf, type OperationEffect, type SimWorld, type TrackedOperation } from '../world.ts';

export interface GalleryResource extends TrackedOperation {
  state: GalleryState;
  properties: JsonObject;
}

interface Work {
  tookMs: number;
  effect: OperationEffect;
}

/** Everything but its properties, which each kind derives from the body. */
export function thingFrom(
  call: ArmCall,
  { id, name, before }: { id: string; name: string; before: GalleryResource | undefined },
): Omit<GalleryResource, 'properties'> {
  return {
    id,
    name,
    location: before?.location ?? stringAt(call.body, 'location') ?? '',
    tags: tagsOf(call.body),
    createdMs: before?.createdMs ?? call.nowMs,
    state: before ? 'Updating' : 'Creating',
  };
}

/** After a PATCH: everything that the body does not name stays. */
export function patchedThing<T extends GalleryResource>(call: ArmCall, before: T, properties: JsonObject): T {
  const tags = call.body.tags === undefined ? before.tags : tagsOf(call.body);
  before.state = 'Updating';
  return { ...before, tags, properties, state: 'Updating' };
}

export function putThing<T extends GalleryResource>(
  world: SimWorld,
  call: ArmCall,
  put: { before: T | undefined; thing: T; work: Work; body(thing: T): JsonObject },
): ArmAnswer {
  const { before, thing, work, body } = put;
  const operation = begin(world, call, { kind: 'capsOperations', location: thing.location, on: thing.id, ...work });
  return { status: before ? 200 : 201, headers: asyncHeader(world, call, operation), body: body(thing) };
}

export function deleteThing(world: SimWorld, call: ArmCall, thing: GalleryResource, work: Work): ArmAnswer {
  thing.state = 'Deleting';
  const operation = begin(world, call, { kind: 'capsOperations', location: thing.location, on: thing.id, ...work });
  return acceptedWithoutBody(world, call, operation);
}

export function thingBody(type: string, { name, id, location, tags, properties, state }: GalleryResource): JsonObject {
  return { name, id, type, location, tags, properties: { ...properties, provisioningState: state } };
}

/** A resource with parts cannot be deleted before its parts. */
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
  world: SimWorld,
  thing: { id: string; name: string; state: GalleryState } | undefined,
): void {
  if (!thing || !isBusy(world, thing.id)) return;
  throw new ArmError(
    409,
    'Conflict',
    `The resource '${thing.name}' is in state ${thing.state}: another operation on it is in progress.`,
  );
}

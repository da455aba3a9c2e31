// sims/azure/compute/gallery-things.ts: what galleries, image definitions and versions have in common: they take their time, are idle or busy, and have parts.
import { ArmError } from '../service/arm-error.ts';
import type { Answer, Call } from '../service/call.ts';
import { type JsonObject, stringAt } from '../service/json.ts';
import { acceptedWithoutBody, asyncHeader, begin, isBusy } from '../service/operations.ts';
import { tagsOf } from '../service/tags.ts';
import { type Effect, type GalleryState, keyOf, type Tracked, type World } from '../world.ts';

export interface Thing extends Tracked {
  state: GalleryState;
  properties: JsonObject;
}

interface Work {
  tookMs: number;
  effect: Effect;
}

/** All but its properties, which each kind makes of the body in its own way. */
export function thingFrom(
  call: Call,
  { id, name, before }: { id: string; name: string; before: Thing | undefined },
): Omit<Thing, 'properties'> {
  return {
    id,
    name,
    location: stringAt(call.body, 'location') ?? '',
    tags: tagsOf(call.body),
    createdMs: before?.createdMs ?? call.nowMs,
    state: before ? 'Updating' : 'Creating',
  };
}

export function putThing<T extends Thing>(
  world: World,
  call: Call,
  put: { before: T | undefined; thing: T; work: Work; body(thing: T): JsonObject },
): Answer {
  const { before, thing, work, body } = put;
  const operation = begin(world, call, { kind: 'capsOperations', location: thing.location, on: thing.id, ...work });
  return { status: before ? 200 : 201, headers: asyncHeader(world, call, operation), body: body(thing) };
}

export function deleteThing(world: World, call: Call, thing: Thing, work: Work): Answer {
  thing.state = 'Deleting';
  const operation = begin(world, call, { kind: 'capsOperations', location: thing.location, on: thing.id, ...work });
  return acceptedWithoutBody(world, call, operation);
}

export function thingBody(type: string, { name, id, location, tags, properties, state }: Thing): JsonObject {
  return { name, id, type, location, tags, properties: { ...properties, provisioningState: state } };
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

// sims/azure/compute/extensions.ts: the extensions of a scale set's model, one by one.
import { ArmError, entityNotFound } from '../service/arm-error.ts';
import type { ArmAnswer, ArmCall } from '../service/call.ts';
import { ensureObject, type JsonObject, objectAt } from '../service/json.ts';
import { acceptedWithoutBody, asyncHeader, begin, takesEffect } from '../service/operations.ts';
import { keyOf, type SimScaleSet, type SimWorld } from '../world.ts';
import { extensionsOf } from './instances.ts';
import { requireScaleSet } from './lookup.ts';
import { requireKnownOrder, takeProtectedSettings } from './model-change.ts';
import { requireIdleSet } from './scale-sets.ts';

export function listExtensions(world: SimWorld, call: ArmCall): ArmAnswer {
  const set = requireScaleSet(world, call);
  return { status: 200, body: { value: extensionsOf(set).map((extension) => extensionBody(set, extension)) } };
}

export function getExtension(world: SimWorld, call: ArmCall): ArmAnswer {
  const set = requireScaleSet(world, call);
  const extension = extensionsOf(set).find(({ name }) => name === call.params.extension);
  if (!extension) throw entityNotFound();
  return { status: 200, body: extensionBody(set, extension) };
}

export function putExtension(world: SimWorld, call: ArmCall): ArmAnswer {
  const set = requireScaleSet(world, call);
  requireIdleSet(world, set);
  const name = call.params.extension ?? '';
  const wasThere = extensionsOf(set).some((extension) => extension.name === name);
  const extension: JsonObject = { name, properties: structuredClone(objectAt(call.body, 'properties') ?? {}) };
  takeProtectedSettings(set, extension);
  change(world, call, set, [...extensionsOf(set).filter((other) => other.name !== name), extension]);
  const operation = begun(world, call, set);
  return {
    status: wasThere ? 200 : 201,
    headers: asyncHeader(world, call, operation),
    body: extensionBody(set, extension),
  };
}

export function deleteExtension(world: SimWorld, call: ArmCall): ArmAnswer {
  const set = requireScaleSet(world, call);
  requireIdleSet(world, set);
  const name = call.params.extension ?? '';
  const left = extensionsOf(set).filter((extension) => extension.name !== name);
  if (left.length === extensionsOf(set).length) return { status: 204 };
  const dependent = left.find((extension) => {
    const after = objectAt(extension, 'properties')?.provisionAfterExtensions;
    return Array.isArray(after) && after.includes(name);
  });
  if (dependent) {
    throw new ArmError(
      400,
      'BadRequest',
      `The extension '${name}' cannot be deleted: '${dependent.name}' names it in 'provisionAfterExtensions'.`,
    );
  }
  change(world, call, set, left);
  return acceptedWithoutBody(world, call, begun(world, call, set));
}

/** Users reported deletions that succeeded without effect, so the fate of the operation decides here. */
function change(world: SimWorld, call: ArmCall, set: SimScaleSet, extensions: JsonObject[]): void {
  if (!takesEffect(call.fate)) return;
  const changed = structuredClone(set);
  ensureObject(changed.properties, 'virtualMachineProfile', 'extensionProfile').extensions = extensions;
  requireKnownOrder(changed);
  set.properties = changed.properties;
  for (const name of Object.keys(set.secrets.protectedSettings)) {
    if (!extensions.some((extension) => extension.name === name)) delete set.secrets.protectedSettings[name];
  }
  set.modelVersion += 1;
  set.etag += 1;
  world.scaleSets[keyOf(set.id)] = set;
}

function begun(world: SimWorld, call: ArmCall, set: SimScaleSet) {
  set.state = 'Updating';
  return begin(world, call, {
    kind: 'operations',
    location: set.location,
    on: set.id,
    tookMs: world.timing.updateModelMs,
    effect: { kind: 'model-updated', id: set.id, born: [], leaving: [] },
  });
}

function extensionBody(set: SimScaleSet, { name, properties }: JsonObject): JsonObject {
  return {
    name,
    id: `${set.id}/extensions/${name}`,
    type: 'Microsoft.Compute/virtualMachineScaleSets/extensions',
    properties: { ...objectAt(properties), provisioningState: 'Succeeded' },
  };
}

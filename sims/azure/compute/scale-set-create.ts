// sims/azure/compute/scale-set-create.ts: which fields must a new scale set have?
import { ArmError } from '../service/arm-error.ts';
import type { ArmCall } from '../service/call.ts';
import { type JsonObject, objectAt, objectsAt, stringAt } from '../service/json.ts';
import { tagsOf } from '../service/tags.ts';
import { type SimScaleSet, type SimWorld, timestamp, uuid } from '../world.ts';
import { imageKindsOf, requireFitting, resolveImage } from './image-references.ts';
import { requireKnownOrder, takeSecrets } from './model-change.ts';

export function newScaleSet(world: SimWorld, call: ArmCall, id: string): SimScaleSet {
  const { body } = call;
  const location = stringAt(body, 'location') ?? '';
  const properties = structuredClone(objectAt(body, 'properties') ?? {});
  const profile = objectAt(properties, 'virtualMachineProfile');
  if (!profile || !objectAt(body, 'sku')) throw missing(profile ? 'sku' : 'virtualMachineProfile');
  const mode = stringAt(properties, 'orchestrationMode') === 'Flexible' ? 'Flexible' : 'Uniform';
  const reference = objectAt(profile, 'storageProfile', 'imageReference') ?? {};
  if (imageKindsOf(reference).length > 1)
    throw new ArmError(400, 'InvalidParameter', `The image reference has ${imageKindsOf(reference).join(' and ')}.`);
  const image = resolveImage(world, reference, location);
  if (image.osState === 'Generalized' && !objectAt(profile, 'osProfile')) throw missing('osProfile');
  if (image.osState === 'Specialized' && profile.osProfile !== undefined) {
    throw new ArmError(400, 'InvalidParameter', "Parameter 'osProfile' is not allowed.");
  }
  const set: SimScaleSet = {
    id,
    name: call.params.scaleSet ?? '',
    location,
    tags: tagsOf(body),
    createdMs: call.nowMs,
    mode,
    etag: 1,
    top: topOf(body),
    properties: {
      singlePlacementGroup: false,
      orchestrationMode: mode,
      upgradePolicy: { mode: 'Manual' },
      overprovision: mode === 'Uniform',
      platformFaultDomainCount: mode === 'Flexible' ? 1 : 5,
      ...properties,
      uniqueId: uuid(world),
      timeCreated: timestamp(call.nowMs),
    },
    secrets: { protectedSettings: {} },
    osState: image.osState,
    generation: generationOf(image.definition?.properties),
    modelVersion: 1,
    nextInstance: 0,
    state: 'Creating',
  };
  delete set.properties.provisioningState;
  takeSecrets(set, set.properties);
  completeOsDisk(set);
  requireKnownOrder(set);
  requireFitting(set, image);
  return set;
}

function topOf({ sku, zones, plan, identity }: JsonObject): JsonObject {
  return {
    ...(sku !== undefined && { sku }),
    ...(zones !== undefined && { zones }),
    ...(plan !== undefined && { plan }),
    ...(identity !== undefined && { identity }),
  };
}

function completeOsDisk(set: SimScaleSet): void {
  const profile = objectAt(set.properties, 'virtualMachineProfile');
  const storage = objectAt(profile, 'storageProfile');
  if (!storage) return;
  storage.osDisk = {
    osType: 'Linux',
    createOption: 'FromImage',
    caching: 'ReadWrite',
    managedDisk: { storageAccountType: 'Premium_LRS' },
    diskSizeGB: 30,
    ...objectAt(storage, 'osDisk'),
  };
  for (const nic of objectsAt(profile, 'networkProfile', 'networkInterfaceConfigurations')) delete nic.id;
}

function generationOf(definition: JsonObject | undefined): 'V1' | 'V2' {
  return stringAt(definition, 'hyperVGeneration') === 'V1' ? 'V1' : 'V2';
}

function missing(what: string): ArmError {
  return new ArmError(400, 'InvalidParameter', `Required parameter '${what}' is missing (null).`);
}

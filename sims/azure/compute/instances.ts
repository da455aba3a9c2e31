// sims/azure/compute/instances.ts: the instances of a scale set, as the scale set's own API shows and changes them.
import { ArmError, entityNotFound } from '../service/arm-error.ts';
import type { ArmAnswer, ArmCall } from '../service/call.ts';
import { fieldAt, type JsonObject, objectAt, objectsAt, stringAt } from '../service/json.ts';
import { acceptedWithoutBody, asyncHeader, begin, isBusy, takesEffect } from '../service/operations.ts';
import { page } from '../service/pages.ts';
import { tagsOf } from '../service/tags.ts';
import { instancesOf, keyOf, type SimInstance, type SimScaleSet, type SimWorld, timestamp } from '../world.ts';
import { filterOf } from './instance-filters.ts';
import { instanceView } from './instance-view.ts';
import { requireScaleSet } from './lookup.ts';

export function getInstance(world: SimWorld, call: ArmCall): ArmAnswer {
  const { set, instance } = requireInstance(world, call);
  const body = instanceBody(world, set, instance, call.query.get('$expand') === 'instanceView');
  return { status: 200, headers: { etag: etagOf(instance) }, body };
}

export function listInstances(world: SimWorld, call: ArmCall): ArmAnswer {
  const set = requireScaleSet(world, call);
  const isExpanded = call.query.get('$expand')?.toLowerCase() === 'instanceview';
  const shown = instancesOf(world, set).filter(filterOf(call.query.get('$filter'), set));
  const isSelected = isViewSelected(call.query.get('$select'));
  const value = shown.map((i) => {
    if (set.mode === 'Flexible') return shortBody(set, i);
    const body = instanceBody(world, set, i, isExpanded);
    return isSelected ? selectedView(body) : body;
  });
  return page(call, value);
}

/** `$select=instanceView` is the only selection that was recorded. */
function isViewSelected(select: string | null): boolean {
  if (select === null || select === '') return false;
  if (select.toLowerCase() === 'instanceview') return true;
  throw new ArmError(400, 'BadRequest', `The selection '${select}' is not supported by the simulator.`);
}

function selectedView({ id, instanceId, properties }: JsonObject): JsonObject {
  const { latestModelApplied, instanceView: view } = objectAt({ properties }, 'properties') ?? {};
  return { id, instanceId, properties: { latestModelApplied, ...(view !== undefined && { instanceView: view }) } };
}

export function getInstanceView(world: SimWorld, call: ArmCall): ArmAnswer {
  const { set, instance } = requireInstance(world, call);
  return { status: 200, body: instanceView(world, set, instance) };
}

/** GET …/virtualMachines/ID/extensions: those the instance was made with. */
export function listInstanceExtensions(world: SimWorld, call: ArmCall): ArmAnswer {
  return { status: 200, body: { value: instanceExtensions(world, call) } };
}

export function getInstanceExtension(world: SimWorld, call: ArmCall): ArmAnswer {
  const wanted = (call.params.extension ?? '').toLowerCase();
  const extension = instanceExtensions(world, call).find((one) => stringAt(one, 'name')?.toLowerCase() === wanted);
  if (!extension) throw entityNotFound();
  return { status: 200, body: extension };
}

function instanceExtensions(world: SimWorld, call: ArmCall): JsonObject[] {
  const { set, instance } = requireInstance(world, call);
  const type = 'Microsoft.Compute/virtualMachineScaleSets/virtualMachines/extensions';
  return instance.birth.extensions.map((extension) => ({ ...extensionResource(set, instance, extension), type }));
}

/** Only tags and protection of one instance can change; fields that the body omits stay. */
export function putInstance(world: SimWorld, call: ArmCall): ArmAnswer {
  const { set, instance } = requireInstance(world, call);
  requireAbsent(call);
  const protection = objectAt(call.body, 'properties', 'protectionPolicy');
  const change = (changed: SimInstance) => {
    if (!protection) return;
    changed.protection = {
      protectFromScaleIn: protection.protectFromScaleIn === true,
      protectFromScaleSetActions: protection.protectFromScaleSetActions === true,
    };
  };
  return updateMember(world, call, instance, { change, body: (changed) => instanceBody(world, set, changed, false) });
}

/** As in both APIs, every update includes the tags. A fault that suppresses the update still answers as if it had begun. */
export function updateMember(
  world: SimWorld,
  call: ArmCall,
  instance: SimInstance,
  { change, body }: { change(changed: SimInstance): void; body(changed: SimInstance): JsonObject },
): ArmAnswer {
  requireUnchanged(call, instance);
  requireIdle(world, instance);
  const changed = takesEffect(call.fate) ? instance : structuredClone(instance);
  change(changed);
  if (call.body.tags !== undefined) changed.tags = tagsOf(call.body);
  changed.etag += 1;
  changed.state = 'Updating';
  const operation = begin(world, call, {
    kind: 'operations',
    location: instance.location,
    on: instance.id,
    tookMs: world.timing.updateInstanceMs,
    effect: { kind: 'instance-updated', id: instance.id },
  });
  return {
    status: 200,
    headers: { ...asyncHeader(world, call, operation), etag: etagOf(changed) },
    body: body(changed),
  };
}

export function deleteInstance(world: SimWorld, call: ArmCall): ArmAnswer {
  return deleteMember(world, call, requireInstance(world, call).instance);
}

export function deleteMember(world: SimWorld, call: ArmCall, instance: SimInstance): ArmAnswer {
  requireIdle(world, instance);
  instance.state = 'Deleting';
  const operation = begin(world, call, {
    kind: 'operations',
    location: instance.location,
    on: instance.id,
    tookMs: world.timing.deleteInstanceMs,
    effect: { kind: 'delete-instances', ids: [instance.id] },
  });
  return acceptedWithoutBody(world, call, operation);
}

export function requireInstance(world: SimWorld, call: ArmCall): { set: SimScaleSet; instance: SimInstance } {
  const set = requireScaleSet(world, call);
  const wanted = call.params.instance ?? '';
  const instance = instancesOf(world, set).find((i) => i.instanceId.toLowerCase() === wanted.toLowerCase());
  if (!instance) throw entityNotFound();
  return { set, instance };
}

/** Two operations on one instance at once are refused; on two instances of one set they are not. */
export function requireIdle(world: SimWorld, instance: SimInstance): void {
  if (!isBusy(world, instance.id) && instance.state !== 'Creating') return;
  throw new ArmError(
    409,
    'Conflict',
    `The request failed due to conflict with a concurrent request on '${instance.name}'. To resolve it, please refer to https://aka.ms/activitylog to get more details on the conflicting requests.`,
  );
}

/** `If-Match`: the resource is as the client read it. Without the resource no ETag matches. */
export function requireUnchanged({ ifMatch }: ArmCall, tracked: { etag: number } | undefined): void {
  if (ifMatch === undefined || (tracked && (ifMatch === '*' || ifMatch === etagOf(tracked)))) return;
  throw preconditionFailed('the resource has changed since that ETag was given');
}

/** `If-None-Match: *` on something that exists. */
export function requireAbsent({ ifNoneMatch }: ArmCall): void {
  if (ifNoneMatch === '*') throw preconditionFailed('the resource exists');
}

function preconditionFailed(why: string): ArmError {
  const message = `The condition specified using HTTP conditional header(s) is not met: ${why}.`;
  return new ArmError(412, 'PreconditionFailed', message);
}

export function instanceBody(
  world: SimWorld,
  set: SimScaleSet,
  instance: SimInstance,
  isExpanded: boolean,
): JsonObject {
  const { protection } = instance;
  const zones = set.top.zones;
  return {
    name: instance.name,
    id: `${set.id}/virtualMachines/${instance.instanceId}`,
    type: 'Microsoft.Compute/virtualMachineScaleSets/virtualMachines',
    location: instance.location,
    tags: instance.tags,
    instanceId: instance.instanceId,
    etag: etagOf(instance),
    ...(set.top.sku !== undefined && { sku: skuOf(set) }),
    ...(zones !== undefined && { zones }),
    ...(set.top.plan !== undefined && { plan: set.top.plan }),
    properties: {
      latestModelApplied: instance.modelVersion === set.modelVersion,
      modelDefinitionApplied: 'VirtualMachineScaleSet',
      hardwareProfile: {},
      ...vmProfile(world, instance),
      provisioningState: instance.state,
      vmId: instance.vmId,
      timeCreated: timestamp(instance.createdMs),
      resilientVMDeletionStatus: 'Disabled',
      ...(protection && { protectionPolicy: { ...protection } }),
      ...(isExpanded && { instanceView: instanceView(world, set, instance) }),
    },
    resources: instance.birth.extensions.map((extension) => extensionResource(set, instance, extension)),
  };
}

/** A Flexible set returns little about its instances; the virtual machine has the rest. */
function shortBody(set: SimScaleSet, instance: SimInstance): JsonObject {
  return {
    name: instance.name,
    id: `${set.id}/virtualMachines/${instance.instanceId}`,
    type: 'Microsoft.Compute/virtualMachineScaleSets/virtualMachines',
    location: instance.location,
    instanceId: instance.instanceId,
  };
}

/** Storage, OS and network of one VM, secrets left out, as both APIs show them. */
export function vmProfile(world: SimWorld, instance: SimInstance): JsonObject {
  const { profile, birth } = instance;
  const osDisk = objectAt(profile, 'storageProfile', 'osDisk') ?? {};
  const disk = instance.osDiskId === null ? undefined : world.disks[keyOf(instance.osDiskId)];
  const security = objectAt(profile, 'securityProfile');
  return {
    storageProfile: {
      imageReference: { ...birth.imageReference, exactVersion: birth.exactVersion },
      osDisk: {
        ...osDisk,
        name: disk?.name ?? `${instance.name}_OsDisk_1`,
        ...(disk && { managedDisk: { storageAccountType: disk.sku, id: disk.id } }),
        ...(disk && { diskSizeGB: fieldAt(disk.properties, 'diskSizeGB') }),
      },
      dataDisks: [],
    },
    ...(birth.osProfile && { osProfile: osProfileOf(instance) }),
    ...(security && { securityProfile: security }),
    ...(instance.capabilities && { additionalCapabilities: instance.capabilities }),
    networkProfile: { networkInterfaces: [{ id: `${instance.id}/networkInterfaces/nic` }] },
  };
}

function osProfileOf(instance: SimInstance): JsonObject {
  const { computerNamePrefix: _, ...rest } = instance.birth.osProfile ?? {};
  return { computerName: instance.computerName, ...rest };
}

function skuOf(set: SimScaleSet): JsonObject {
  const { capacity: _, ...sku } = objectAt(set.top, 'sku') ?? {};
  return sku;
}

function extensionResource(set: SimScaleSet, instance: SimInstance, extension: JsonObject): JsonObject {
  const name = stringAt(extension, 'name') ?? '';
  return {
    name,
    id: `${set.id}/virtualMachines/${instance.instanceId}/extensions/${name}`,
    type: 'Microsoft.Compute/virtualMachines/extensions',
    location: instance.location,
    properties: { ...objectAt(extension, 'properties'), provisioningState: 'Succeeded' },
  };
}

export function etagOf(tracked: { etag: number }): string {
  return `"${tracked.etag}"`;
}

export function extensionsOf(set: SimScaleSet): JsonObject[] {
  return objectsAt(set.properties, 'virtualMachineProfile', 'extensionProfile', 'extensions');
}

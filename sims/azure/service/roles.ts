// sims/azure/service/roles.ts: may the client do this? An Azure custom role, enforced request by request.
import { ArmError } from './arm-error.ts';
import { type JsonObject, objectAt, objectsAt, stringAt } from './json.ts';

/** As `az role definition create` takes it, or as the REST API gives it. */
export interface RoleDefinition {
  Actions?: string[];
  NotActions?: string[];
  actions?: string[];
  notActions?: string[];
}

export interface Grant {
  actions: string[];
  notActions: string[];
}

export function grantOf(role: RoleDefinition): Grant {
  return { actions: role.actions ?? role.Actions ?? [], notActions: role.notActions ?? role.NotActions ?? [] };
}

export function isGranted({ actions, notActions }: Grant, action: string): boolean {
  return actions.some((pattern) => covers(pattern, action)) && !notActions.some((pattern) => covers(pattern, action));
}

/** `*` stands for anything, slashes included; case does not matter. */
export function covers(pattern: string, action: string): boolean {
  const expression = pattern
    .split('*')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${expression}$`, 'i').test(action);
}

export function requireGranted(grant: Grant, action: string, linked: readonly string[], scope: string): void {
  const client = "The client 'headstart' with object id '00000000-0000-0000-0000-0000000000c1'";
  if (!isGranted(grant, action)) {
    throw new ArmError(
      403,
      'AuthorizationFailed',
      `${client} does not have authorization to perform action '${action}' over scope '${scope}' or the scope is invalid. If access was recently granted, please refresh your credentials.`,
    );
  }
  const missing = linked.find((one) => !isGranted(grant, one));
  if (missing !== undefined) {
    throw new ArmError(
      403,
      'LinkedAuthorizationFailed',
      `${client} has permission to perform action '${action}' on scope '${scope}'; however, it does not have permission to perform action(s) '${missing}' on the linked scope(s) or the linked scope(s) are invalid.`,
    );
  }
}

/** A body that names another resource also needs a right on that resource. */
export function linkedActions(method: string, type: string, body: JsonObject): string[] {
  if (method !== 'PUT' && method !== 'PATCH') return [];
  if (type === 'snapshots') {
    return [
      ...(stringAt(body, 'properties', 'creationData', 'sourceResourceId') === undefined
        ? []
        : ['Microsoft.Compute/disks/beginGetAccess/action']),
      ...linkedToKeys([objectAt(body, 'properties', 'encryption')]),
    ];
  }
  if (type === 'galleries/images/versions') {
    const targets = objectsAt(body, 'properties', 'publishingProfile', 'targetRegions');
    return [
      ...(stringAt(body, 'properties', 'storageProfile', 'osDiskImage', 'source', 'id') === undefined
        ? []
        : ['Microsoft.Compute/snapshots/write']),
      ...linkedToKeys(targets.map((target) => objectAt(target, 'encryption', 'osDiskImage'))),
    ];
  }
  return type === 'virtualMachineScaleSets' ? linkedToModel(objectAt(body, 'properties', 'virtualMachineProfile')) : [];
}

function linkedToKeys(encryptions: readonly (JsonObject | undefined)[]): string[] {
  const isNamed = encryptions.some((encryption) => stringAt(encryption, 'diskEncryptionSetId') !== undefined);
  return isNamed ? ['Microsoft.Compute/diskEncryptionSets/read'] : [];
}

function linkedToModel(profile: JsonObject | undefined): string[] {
  const image = stringAt(profile, 'storageProfile', 'imageReference', 'id');
  const nics = objectsAt(profile, 'networkProfile', 'networkInterfaceConfigurations');
  return [
    ...(image === undefined
      ? []
      : [`Microsoft.Compute/galleries/images/${/\/versions\//i.test(image) ? 'versions/' : ''}read`]),
    ...(nics.length > 0 ? ['Microsoft.Network/virtualNetworks/subnets/join/action'] : []),
  ];
}

// sims/azure/service/routes.ts: which function answers a request, which action does it need, and which throttling bucket does it use?

import { deleteDisk, getDisk, listDisks, putDisk } from '../compute/disks.ts';
import { deleteExtension, getExtension, listExtensions, putExtension } from '../compute/extensions.ts';
import { deleteGallery, getGallery, listGalleries, patchGallery, putGallery } from '../compute/galleries.ts';
import {
  deleteDefinition,
  getDefinition,
  listDefinitions,
  patchDefinition,
  putDefinition,
} from '../compute/image-definitions.ts';
import { deleteVersion, getVersion, listVersions, patchVersion, putVersion } from '../compute/image-versions.ts';
import {
  deleteInstance,
  getInstance,
  getInstanceExtension,
  getInstanceView,
  listInstanceExtensions,
  listInstances,
  putInstance,
} from '../compute/instances.ts';
import { instancePower, type PowerAction, setPower, vmPower } from '../compute/power.ts';
import {
  deleteInstances,
  deleteScaleSet,
  getScaleSet,
  getScaleSetView,
  listScaleSets,
  patchScaleSet,
  putScaleSet,
  upgradeInstances,
} from '../compute/scale-sets.ts';
import { listResourceSkus, listSetSizes, listUsages } from '../compute/sizes.ts';
import {
  deleteSnapshot,
  getSnapshot,
  grantAccess,
  listSnapshots,
  patchSnapshot,
  putSnapshot,
  revokeAccess,
} from '../compute/snapshots.ts';
import { deleteVm, getVm, getVmView, listVms, patchVm } from '../compute/virtual-machines.ts';
import { getStandbyVm, listStandbyVms } from '../standby/members.ts';
import { readStandbyOperation } from '../standby/operation-status.ts';
import {
  deleteStandbyPool,
  getStandbyPool,
  listStandbyOperations,
  listStandbyPools,
  patchStandbyPool,
  putStandbyPool,
} from '../standby/pools.ts';
import { getRuntimeView, listRuntimeViews } from '../standby/runtime-view.ts';
import type { Provider } from './api-versions.ts';
import { listLocks, listPermissions } from './authorization.ts';
import type { Handler } from './call.ts';
import { readOperation } from './operations.ts';
import type { PolicyName } from './throttle.ts';

export interface Route {
  method: string;
  /** Segments; `{name}` takes any one. Compared without regard to case. */
  path: string;
  provider: Provider;
  policy: PolicyName;
  answer: Handler;
}

export interface MatchedRoute {
  route: Route;
  params: Record<string, string>;
  /** `virtualMachineScaleSets/virtualMachines/powerOff`: the resource's type, and the action if it is one. */
  type: string;
  /** As a role definition names it. */
  action: string;
  policy: PolicyName;
}

const SCOPE = 'subscriptions/{subscription}/providers/Microsoft.Compute';
const GROUP = 'subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Compute';
const GROUP_RIGHTS = 'subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Authorization';
const SET = `${GROUP}/virtualMachineScaleSets/{scaleSet}`;
const INSTANCE = `${SET}/virtualMachines/{instance}`;
const VM = `${GROUP}/virtualMachines/{vm}`;
const DISK = `${GROUP}/disks/{disk}`;
const SNAPSHOT = `${GROUP}/snapshots/{snapshot}`;
const GALLERY = `${GROUP}/galleries/{gallery}`;
const DEFINITION = `${GALLERY}/images/{definition}`;
const STANDBY_SCOPE = 'subscriptions/{subscription}/providers/Microsoft.StandbyPool';
const STANDBY_GROUP = 'subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.StandbyPool';
const STANDBY_POOL = `${STANDBY_GROUP}/standbyVirtualMachinePools/{pool}`;
const VERSION = `${DEFINITION}/versions/{version}`;

/** In the spelling of role definitions; paths are compared without regard to case. */
const STOPPING: [string, PowerAction][] = [
  ['powerOff', 'poweroff'],
  ['deallocate', 'deallocate'],
];
const STARTING: [string, PowerAction][] = [
  ['start', 'start'],
  ['restart', 'restart'],
  ['reimage', 'reimage'],
];

/** Of scale sets alone. */
const STARTING_IN_SETS: [string, PowerAction][] = [...STARTING, ['reimageAll', 'reimageall']];

const compute = routesOf('compute');
const sku = routesOf('sku');
const disk = routesOf('disk');
const gallery = routesOf('gallery');
const permissions = routesOf('permissions');
const locks = routesOf('locks');
const standby = routesOf('standby');

export const ROUTES: readonly Route[] = [
  ...compute('readScaleSet', {
    [`GET ${SCOPE}/virtualMachineScaleSets`]: listScaleSets,
    [`GET ${GROUP}/virtualMachineScaleSets`]: listScaleSets,
    [`GET ${SET}`]: getScaleSet,
    [`GET ${SET}/extensions`]: listExtensions,
    [`GET ${SET}/extensions/{extension}`]: getExtension,
    [`GET ${SET}/skus`]: listSetSizes,
  }),
  ...compute('viewScaleSet', {
    [`GET ${SET}/instanceView`]: getScaleSetView,
    [`GET ${SET}/virtualMachines`]: listInstances,
  }),
  ...compute('writeScaleSet', { [`PUT ${SET}`]: putScaleSet }),
  ...compute('actOnScaleSet', {
    [`PATCH ${SET}`]: patchScaleSet,
    [`PUT ${SET}/extensions/{extension}`]: putExtension,
    [`DELETE ${SET}/extensions/{extension}`]: deleteExtension,
    [`POST ${SET}/delete`]: deleteInstances,
    [`POST ${SET}/manualUpgrade`]: upgradeInstances,
    ...Object.fromEntries(STARTING_IN_SETS.map(([name, action]) => [`POST ${SET}/${name}`, setPower(action)])),
  }),
  ...compute('deleteScaleSet', {
    [`DELETE ${SET}`]: deleteScaleSet,
    ...Object.fromEntries(STOPPING.map(([name, action]) => [`POST ${SET}/${name}`, setPower(action)])),
  }),
  ...compute('readInstance', {
    [`GET ${INSTANCE}`]: getInstance,
    [`GET ${INSTANCE}/instanceView`]: getInstanceView,
    [`GET ${INSTANCE}/extensions`]: listInstanceExtensions,
    [`GET ${INSTANCE}/extensions/{extension}`]: getInstanceExtension,
  }),
  ...compute('readSizes', { [`GET ${SCOPE}/locations/{location}/usages`]: listUsages }),
  ...sku('readSizes', { [`GET ${SCOPE}/skus`]: listResourceSkus }),
  ...compute('actOnInstance', {
    [`PUT ${INSTANCE}`]: putInstance,
    ...Object.fromEntries(
      STARTING_IN_SETS.map(([name, action]) => [`POST ${INSTANCE}/${name}`, instancePower(action)]),
    ),
  }),
  ...compute('stopInstance', {
    [`DELETE ${INSTANCE}`]: deleteInstance,
    ...Object.fromEntries(STOPPING.map(([name, action]) => [`POST ${INSTANCE}/${name}`, instancePower(action)])),
  }),
  ...compute('readVm', {
    [`GET ${SCOPE}/virtualMachines`]: listVms,
    [`GET ${GROUP}/virtualMachines`]: listVms,
    [`GET ${VM}`]: getVm,
    [`GET ${VM}/instanceView`]: getVmView,
  }),
  ...compute('writeVm', {
    [`PATCH ${VM}`]: patchVm,
    ...Object.fromEntries(STARTING.map(([name, action]) => [`POST ${VM}/${name}`, vmPower(action)])),
  }),
  ...compute('stopVm', {
    [`DELETE ${VM}`]: deleteVm,
    ...Object.fromEntries(STOPPING.map(([name, action]) => [`POST ${VM}/${name}`, vmPower(action)])),
  }),
  ...compute('pollCompute', { [`GET ${SCOPE}/locations/{location}/operations/{operation}`]: readOperation }),

  ...disk('readDisk', {
    [`GET ${SCOPE}/disks`]: listDisks,
    [`GET ${GROUP}/disks`]: listDisks,
    [`GET ${DISK}`]: getDisk,
    [`GET ${SCOPE}/snapshots`]: listSnapshots,
    [`GET ${GROUP}/snapshots`]: listSnapshots,
    [`GET ${SNAPSHOT}`]: getSnapshot,
  }),
  ...disk('writeDisk', { [`PUT ${DISK}`]: putDisk }),
  ...disk('writeSnapshot', {
    [`PUT ${SNAPSHOT}`]: putSnapshot,
    [`PATCH ${SNAPSHOT}`]: patchSnapshot,
    [`POST ${SNAPSHOT}/beginGetAccess`]: grantAccess,
    [`POST ${SNAPSHOT}/endGetAccess`]: revokeAccess,
  }),
  ...disk('deleteDisk', { [`DELETE ${DISK}`]: deleteDisk, [`DELETE ${SNAPSHOT}`]: deleteSnapshot }),
  ...disk('pollDisk', { [`GET ${SCOPE}/locations/{location}/diskOperations/{operation}`]: readOperation }),

  ...gallery('readGallery', {
    [`GET ${SCOPE}/galleries`]: listGalleries,
    [`GET ${GROUP}/galleries`]: listGalleries,
    [`GET ${GALLERY}`]: getGallery,
    [`GET ${GALLERY}/images`]: listDefinitions,
    [`GET ${DEFINITION}`]: getDefinition,
  }),
  ...gallery('writeGallery', {
    [`PUT ${GALLERY}`]: putGallery,
    [`PATCH ${GALLERY}`]: patchGallery,
    [`DELETE ${GALLERY}`]: deleteGallery,
    [`PUT ${DEFINITION}`]: putDefinition,
    [`PATCH ${DEFINITION}`]: patchDefinition,
    [`DELETE ${DEFINITION}`]: deleteDefinition,
  }),
  ...gallery('readVersion', { [`GET ${DEFINITION}/versions`]: listVersions, [`GET ${VERSION}`]: getVersion }),
  ...gallery('writeVersion', { [`PUT ${VERSION}`]: putVersion, [`PATCH ${VERSION}`]: patchVersion }),
  ...gallery('deleteVersion', { [`DELETE ${VERSION}`]: deleteVersion }),
  ...standby('standbyPool', {
    'GET providers/Microsoft.StandbyPool/operations': listStandbyOperations,
    [`GET ${STANDBY_SCOPE}/standbyVirtualMachinePools`]: listStandbyPools,
    [`GET ${STANDBY_GROUP}/standbyVirtualMachinePools`]: listStandbyPools,
    [`GET ${STANDBY_POOL}`]: getStandbyPool,
    [`PUT ${STANDBY_POOL}`]: putStandbyPool,
    [`PATCH ${STANDBY_POOL}`]: patchStandbyPool,
    [`DELETE ${STANDBY_POOL}`]: deleteStandbyPool,
    [`GET ${STANDBY_POOL}/runtimeViews`]: listRuntimeViews,
    [`GET ${STANDBY_POOL}/runtimeViews/{view}`]: getRuntimeView,
    [`GET ${STANDBY_POOL}/standbyVirtualMachines`]: listStandbyVms,
    [`GET ${STANDBY_POOL}/standbyVirtualMachines/{vm}`]: getStandbyVm,
    [`GET ${STANDBY_SCOPE}/locations/{location}/operationStatuses/{operation}`]: readStandbyOperation,
  }),
  ...permissions('readAuthorization', {
    [`GET ${GROUP_RIGHTS}/permissions`]: listPermissions,
    [`GET ${SET}/providers/Microsoft.Authorization/permissions`]: listPermissions,
    [`GET ${GALLERY}/providers/Microsoft.Authorization/permissions`]: listPermissions,
  }),
  ...locks('readAuthorization', { [`GET ${GROUP_RIGHTS}/locks`]: listLocks }),
  ...gallery('pollGallery', { [`GET ${SCOPE}/locations/{location}/capsOperations/{operation}`]: readOperation }),
];

export function findRoute(method: string, pathname: string): MatchedRoute | undefined {
  const segments = pathname.split('/').filter((segment) => segment !== '');
  for (const route of ROUTES) {
    const params = route.method === method ? matchPath(route.path.split('/'), segments) : undefined;
    if (!params) continue;
    const type = typeOf(route);
    return { route, params, type, action: actionOf(route, type), policy: route.policy };
  }
  return undefined;
}

function matchPath(pattern: string[], segments: string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, part] of pattern.entries()) {
    const segment = decodeURIComponent(segments[i] ?? '');
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name) params[name] = segment;
    else if (part.toLowerCase() !== segment.toLowerCase()) return undefined;
  }
  return params;
}

/** Of the last provider in the path: permissions are a child of any resource. */
function typeOf({ path }: Route): string {
  const after = path.split(/(?:^|\/)providers\/Microsoft\.\w+\//).at(-1) ?? '';
  return after
    .split('/')
    .filter((segment) => !segment.startsWith('{'))
    .join('/');
}

function actionOf({ method, path }: Route, type: string): string {
  const verb = { GET: 'read', PUT: 'write', PATCH: 'write', DELETE: 'delete', POST: 'action' }[method] ?? 'read';
  const provider = path
    .match(/(?:^|\/)providers\/Microsoft\.\w+\//g)
    ?.at(-1)
    ?.split('/')
    .find((part) => part.startsWith('Microsoft.'));
  return `${provider}/${type}/${verb}`;
}

function routesOf(provider: Provider) {
  return (policy: PolicyName, table: Readonly<Record<string, Handler>>): Route[] =>
    Object.entries(table).map(([line, answer]) => {
      const [method = '', path = ''] = line.split(' ');
      return { method, path, provider, policy, answer };
    });
}

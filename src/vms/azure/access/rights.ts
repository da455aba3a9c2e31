// vms/azure/access/rights.ts: which actions does a run need, and which of them do the login's roles not allow? Pure.

/** The part of a role that counts here, as Azure lists it. */
export interface Permission {
  actions: readonly string[];
  notActions: readonly string[];
}

/** The actions that a run needs in the resource group of the pool, and in that of the gallery and the snapshots. */
export interface NeededActions {
  pool: readonly string[];
  gallery: readonly string[];
}

const onMembers = 'Microsoft.Compute/virtualMachineScaleSets/virtualMachines';
const onVms = 'Microsoft.Compute/virtualMachines';

/** Only what every run needs: what it needs for some options or in some failures is not missing before it is needed. */
export function neededActions(mode: 'uniform' | 'flexible'): NeededActions {
  const instances = mode === 'uniform' ? onMembers : onVms;
  return {
    pool: [
      'Microsoft.Compute/disks/beginGetAccess/action',
      'Microsoft.Compute/disks/read',
      'Microsoft.Compute/virtualMachineScaleSets/read',
      `${onMembers}/read`,
      `${onMembers}/write`,
      'Microsoft.Compute/virtualMachineScaleSets/write',
      ...['powerOff/action', 'start/action'].map((one) => `${instances}/${one}`),
      ...(mode === 'flexible' ? [`${onVms}/read`, `${onVms}/write`] : []),
    ],
    gallery: [
      'Microsoft.Compute/galleries/images/read',
      'Microsoft.Compute/galleries/images/versions/delete',
      'Microsoft.Compute/galleries/images/versions/read',
      'Microsoft.Compute/galleries/images/versions/write',
      'Microsoft.Compute/galleries/images/write',
      'Microsoft.Compute/galleries/read',
      'Microsoft.Compute/galleries/write',
      'Microsoft.Compute/snapshots/delete',
      'Microsoft.Compute/snapshots/read',
      'Microsoft.Compute/snapshots/write',
    ],
  };
}

/** What the standby verbs need in the resource group of the pool. */
export const STANDBY_ACTIONS: readonly string[] = [
  'Microsoft.Compute/disks/read',
  'Microsoft.Compute/virtualMachineScaleSets/read',
  'Microsoft.Compute/virtualMachineScaleSets/write',
  `${onMembers}/read`,
  `${onVms}/read`,
  ...['delete', 'read', 'runtimeViews/read', 'standbyVirtualMachines/read', 'write'].map(
    (one) => `Microsoft.StandbyPool/standbyVirtualMachinePools/${one}`,
  ),
];

/** Roles add up: what one excludes (`notActions`), another may allow. */
export function missingActions(permissions: readonly Permission[], needed: readonly string[]): string[] {
  return needed.filter((action) => !permissions.some((permission) => isAllowed(permission, action)));
}

function isAllowed({ actions, notActions }: Permission, action: string): boolean {
  const isCovered = (patterns: readonly string[]) => patterns.some((pattern) => covers(pattern, action));
  return isCovered(actions) && !isCovered(notActions);
}

/** `*` stands for any text, slashes included; case does not matter. */
export function covers(pattern: string, action: string): boolean {
  const parts = pattern.toLowerCase().split('*');
  const text = action.toLowerCase();
  const [first = '', ...others] = parts;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

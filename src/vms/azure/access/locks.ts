// vms/azure/access/locks.ts: which locks hold for a resource? Pure.

export interface ManagementLock {
  name: string;
  level: 'CanNotDelete' | 'ReadOnly';
  /** What it is set on: a subscription, a resource group or a resource. */
  scope: string;
}

/** Undefined for a level that locks nothing. */
export function lockOf(id: string, level: string): ManagementLock | undefined {
  const [, scope, name] = /^(.*)\/providers\/Microsoft\.Authorization\/locks\/([^/]+)$/i.exec(id) ?? [];
  const known = (['CanNotDelete', 'ReadOnly'] as const).find((one) => one.toLowerCase() === level.toLowerCase());
  return scope !== undefined && name && known ? { name, level: known, scope } : undefined;
}

/** A lock holds for its scope and everything in it. */
export function locksOn(resourceId: string, locks: readonly ManagementLock[]): ManagementLock[] {
  const id = `${resourceId.toLowerCase()}/`;
  return locks.filter(({ scope }) => id.startsWith(`${scope.toLowerCase()}/`));
}

/** For messages: `lock "keep" (ReadOnly) on resource group demo`. */
export function describeLock({ name, level, scope }: ManagementLock): string {
  const [, group, rest] = /\/resourceGroups\/([^/]+)(\/.*)?$/i.exec(scope) ?? [];
  const on = rest ? scope.split('/').slice(-2).join(' ') : group ? `resource group ${group}` : 'the subscription';
  return `lock "${name}" (${level}) on ${on}`;
}

// vms/azure/access/check-access.ts: may the login do what a run needs, and is anything locked? Read before a run changes anything.

import { z } from 'zod';
import type { CallOptions } from '../../../base/call-options.ts';
import { Forbidden, NotFound, Refused } from '../../../base/failures.ts';
import type { PoolRef } from '../../pools.ts';
import type { Access } from '../../provider.ts';
import { groupPath, scaleSetId } from '../arm-ids.ts';
import type { Azure } from '../azure.ts';
import { apiVersions } from '../connect/api-versions.ts';
import type { AzureCall } from '../connect/connection.ts';
import { failureOfResponse } from '../connect/translate-errors.ts';
import { poolScaleSet, readScaleSet } from '../read-scale-set.ts';
import { isFlexible } from '../scale-set.ts';
import { describeLock, lockOf, locksOn, type ManagementLock } from './locks.ts';
import { missingActions, neededActions, type Permission } from './rights.ts';

const strings = z
  .array(z.string())
  .nullish()
  .transform((list) => list ?? []);
const permissionSchema = z.object({ actions: strings, notActions: strings });
const lockSchema = z.object({ id: z.string(), properties: z.object({ level: z.string() }) });
/** Ends a list whose pages never end. */
const mostPages = 20;

/** A place that a run changes. */
interface Place {
  /** The path of the resource group. */
  group: string;
  /** The resource in it, on which rights may be granted too. */
  resource: string;
  needed: readonly string[];
  what: string;
}

export async function checkAccess(
  azure: Azure,
  pool: PoolRef,
  gallery: string,
  options?: CallOptions,
): Promise<Access> {
  const call = await azure.open(options);
  const { settings } = call;
  const ref = poolScaleSet(pool);
  const set = await readScaleSet(call, ref);
  if (!set) throw new NotFound(`scale set ${ref.name}`);
  const needed = neededActions(isFlexible(set) ? 'flexible' : 'uniform');
  const galleryGroup = groupPath(settings);
  const places: Place[] = [
    { group: groupPath(ref), resource: scaleSetId(ref), needed: needed.pool, what: `scale set ${ref.name}` },
    {
      group: galleryGroup,
      resource: `${galleryGroup}/providers/Microsoft.Compute/galleries/${gallery}`,
      needed: needed.gallery,
      what: `gallery ${gallery}`,
    },
  ];
  const access: Access = { refusals: [], notes: [] };
  await checkRights(call, places, access);
  await checkLocks(call, places, access);
  return access;
}

async function checkRights(call: AzureCall, places: readonly Place[], access: Access): Promise<void> {
  const missing = new Map<string, string[]>();
  const known = new Map<string, Permission[] | undefined>();
  for (const { group, resource, needed } of places) {
    if (!known.has(group)) known.set(group, await readPermissions(call, group));
    const ofGroup = known.get(group);
    if (!ofGroup) {
      access.notes.push(
        `the login may not read its own rights on ${shown(group)} (Microsoft.Authorization/permissions/read): a missing right shows only when the run needs it`,
      );
      return;
    }
    let lacking = missingActions(ofGroup, needed);
    // Rights may also be granted on the resource alone, or on a gallery that exists.
    if (lacking.length > 0) lacking = missingActions((await readPermissions(call, resource)) ?? [], lacking);
    if (lacking.length > 0) missing.set(group, [...(missing.get(group) ?? []), ...lacking]);
  }
  if (missing.size === 0) return;
  const lists = [...missing].map(([group, actions]) => `${actions.sort().join(', ')} on ${shown(group)}`);
  const [scope = ''] = missing.keys();
  access.refusals.push({
    code: 'vms/missing-rights',
    reason: `the login lacks rights that a run needs: ${lists.join('; ')}`,
    next: `assign a role that has them, for example the one in docs/azure-role.json: az role assignment create --assignee IDENTITY --role 'headstart prototype' --scope ${scope}; a new assignment takes some minutes`,
  });
}

async function checkLocks(call: AzureCall, places: readonly Place[], access: Access): Promise<void> {
  const [pool, gallery] = places as [Place, Place];
  const locks: ManagementLock[] = [];
  for (const group of new Set(places.map((place) => place.group))) {
    const found = await readLocks(call, group);
    if (found) locks.push(...found);
    else
      access.notes.push(
        `the login may not read the locks of ${shown(group)} (Microsoft.Authorization/locks/read): a lock shows only when it stops the run`,
      );
  }
  // A snapshot is next to the gallery, so only locks of the group hold for it.
  const relevant = new Set([...locksOn(pool.resource, locks), ...locksOn(gallery.resource, locks)]);
  const readOnly = [...relevant].filter(({ level }) => level === 'ReadOnly');
  if (readOnly.length > 0) {
    access.refusals.push({
      code: 'vms/locked',
      reason: `Azure refuses every change because of the ${readOnly.map(describeLock).join(' and the ')}`,
      next: `remove the lock, run, and set it again: az lock delete --ids ${readOnly.map(idOf).join(' ')}`,
    });
    return;
  }
  const kept = locksOn(gallery.resource, locks);
  if (kept.length > 0)
    access.notes.push(
      `because of the ${kept.map(describeLock).join(' and the ')}, snapshots and old versions cannot be deleted: they stay, and cost money, until the lock is removed`,
    );
}

/** Undefined if the login may not read them. An empty list says nothing: the login can read the pool. */
export async function readPermissions(call: AzureCall, scope: string): Promise<Permission[] | undefined> {
  const url = `${scope}/providers/Microsoft.Authorization/permissions?api-version=${apiVersions.permissions}`;
  const listed = await readList(call, url, `rights on ${shown(scope)}`, permissionSchema);
  return listed?.length ? listed : undefined;
}

async function readLocks(call: AzureCall, group: string): Promise<ManagementLock[] | undefined> {
  const url = `${group}/providers/Microsoft.Authorization/locks?api-version=${apiVersions.locks}`;
  const listed = await readList(call, url, `locks of ${shown(group)}`, lockSchema);
  return listed?.flatMap(({ id, properties }) => lockOf(id, properties.level) ?? []);
}

/** Undefined if the login may not read it, or this Azure does not have it in this form. */
async function readList<T>(
  call: AzureCall,
  firstUrl: string,
  what: string,
  schema: z.ZodType<T>,
): Promise<T[] | undefined> {
  const items: T[] = [];
  const pageSchema = z.object({ value: z.array(schema), nextLink: z.string().nullish() });
  let url: string | null | undefined = firstUrl;
  for (let page = 0; url && page < mostPages; page++) {
    const answer = await call.send({ method: 'GET', url }, what);
    if (answer.status >= 400) {
      const failure = failureOfResponse(answer, what, call.clock.nowMs());
      if (failure instanceof Forbidden || failure instanceof Refused || failure instanceof NotFound) return undefined;
      throw failure;
    }
    const { success, data } = pageSchema.safeParse(answer.body);
    if (!success) return undefined;
    items.push(...data.value);
    url = data.nextLink;
  }
  return items;
}

function idOf({ scope, name }: ManagementLock): string {
  return `${scope}/providers/Microsoft.Authorization/locks/${name}`;
}

function shown(scope: string): string {
  const [, group, rest] = /\/resourceGroups\/([^/]+)(\/.*)?$/i.exec(scope) ?? [];
  return rest ? scope.split('/').slice(-2).join(' ') : `resource group ${group}`;
}

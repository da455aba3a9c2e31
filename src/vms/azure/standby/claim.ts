// vms/azure/standby/claim.ts: grow a scale set, and say of each new instance whether it came from the standby pool.
import { randomUUID } from 'node:crypto';
import { Conflict, Refused } from '../../../base/failures.ts';
import type { Instance, ListedInstance, PoolRef } from '../../pools.ts';
import { type Claim, type ClaimOptions, fastestFirst } from '../../standby.ts';
import { scaleSetId } from '../arm-ids.ts';
import type { Azure } from '../azure.ts';
import { apiVersions } from '../connect/api-versions.ts';
import type { AzureCall } from '../connect/connection.ts';
import { awaitOperation } from '../connect/operations.ts';
import { failureOfResponse } from '../connect/translate-errors.ts';
import { instancesOfSet, readInstance } from '../instances.ts';
import { poolScaleSet } from '../read-scale-set.ts';
import { type AzureScaleSet, traitsOf } from '../scale-set.ts';
import { describeCounts, stateOf } from './describe-state.ts';
import { type Before, originsOf } from './origin.ts';
import { lookAt, requireSet } from './read-standby.ts';
import { MOST_IN_ALL } from './refusals.ts';
import { readStandbyVms, type StandbyVm } from './standby-vms.ts';

/** Names the claim that changed the capacity last: if the answer to its request is lost, this says whether it took effect. */
export const CLAIM_TAG = 'headstart-claim';

const TRIES = 20;
const BUSY_MS = 10_000;

export async function claim(azure: Azure, pool: PoolRef, count: number, options?: ClaimOptions): Promise<Claim[]> {
  if (!Number.isInteger(count) || count < 1) throw new Refused(`cannot claim ${count} instances`, 'vms/bad-capacity');
  if (options?.leaveEmpty) throw new Refused('Azure always refills a standby pool', 'vms/always-refills');
  const call = await azure.open(options);
  const id = randomUUID();
  for (let tries = 1; ; tries++) {
    const set = await idleSet(call, pool);
    requireRoom(set, count);
    const before = await readBefore(call, pool, set);
    try {
      await grow(call, set, pool, { id, count });
    } catch (error) {
      // Another client changed the set first: look again, because it may have taken standby instances.
      if (!(error instanceof Conflict) || tries === TRIES) throw error;
      if ((await requireSet(call, pool)).tags?.[CLAIM_TAG] !== id) continue;
      await idleSet(call, pool);
    }
    const instances = await newInstances(call, pool, before, { id, count });
    const origins = originsOf(before, await vmsOf(call, instances));
    const claims = await Promise.all(
      instances.map(async (listed, i) => ({
        instance: (await readInstance(azure, listed.ref, options)) ?? withoutMember(listed),
        ...(origins[i] ?? { from: 'cold' as const }),
      })),
    );
    return claims.sort(fastestFirst);
  }
}

/** One for each instance; a VM of a Uniform set is in no standby pool. */
async function vmsOf(call: AzureCall, instances: readonly SetMember[]): Promise<StandbyVm[]> {
  const ids = instances.map(({ ref }) => ref.id);
  const read = new Map((await readStandbyVms(call, ids)).map((vm) => [vm.id, vm]));
  return ids.map((id) => read.get(id) ?? { id, isInPool: undefined, power: 'other', provisioning: 'unknown' });
}

interface Growth {
  id: string;
  count: number;
}

/** Without another change under way: its instances could not be told from ours. */
async function idleSet(call: AzureCall, pool: PoolRef): Promise<AzureScaleSet> {
  for (;;) {
    const set = await requireSet(call, pool);
    const state = set.properties.provisioningState ?? 'Succeeded';
    if (state === 'Succeeded' || state === 'Failed') return set;
    if (state === 'Deleting') throw new Refused(`scale set ${set.name} is being deleted`, 'standby/deleting');
    call.waiting(`another change of scale set ${set.name}`);
    await call.clock.sleep(BUSY_MS, call.signal);
  }
}

function requireRoom(set: AzureScaleSet, count: number): void {
  const capacity = (set.sku?.capacity ?? 0) + count;
  if (capacity > MOST_IN_ALL)
    throw new Refused(
      `scale set ${set.name} would have ${capacity} instances, more than ${MOST_IN_ALL}`,
      'standby/too-many',
    );
}

type SeenBefore = Before & { ids: ReadonlySet<string> };

async function readBefore(call: AzureCall, pool: PoolRef, set: AzureScaleSet): Promise<SeenBefore> {
  const seen = await lookAt(call, pool, set);
  const instances = await instancesOfSet(call, traitsOf(set));
  return {
    ids: new Set(instances.map(({ ref }) => ref.id.toLowerCase())),
    members: seen?.members ?? [],
    counts: describeCounts(seen?.view),
    trouble: seen && stateOf(seen.counts, seen.members, seen.view).trouble,
    hasPool: seen !== undefined,
  };
}

/** Conditional on what was read, so that of two claims at once one looks again. */
async function grow(call: AzureCall, set: AzureScaleSet, pool: PoolRef, { id, count }: Growth): Promise<void> {
  const order = { verb: 'growing', thing: `scale set ${set.name}` };
  const answer = await call.send(
    {
      method: 'PATCH',
      url: `${scaleSetId(poolScaleSet(pool))}?api-version=${apiVersions.compute}`,
      headers: set.etag ? { 'if-match': set.etag } : {},
      body: { sku: { ...set.sku, capacity: (set.sku?.capacity ?? 0) + count }, tags: { ...set.tags, [CLAIM_TAG]: id } },
    },
    order.thing,
  );
  if (answer.status >= 400) throw failureOfResponse(answer, `${order.verb} ${order.thing}`, call.clock.nowMs());
  await awaitOperation(call, order, answer);
}

/** If others grew the set right after, theirs are still being made, or carry the tag of another claim. */
async function newInstances(
  call: AzureCall,
  pool: PoolRef,
  { ids, members }: SeenBefore,
  { id, count }: Growth,
): Promise<SetMember[]> {
  const listed = await instancesOfSet(call, traitsOf(await requireSet(call, pool)));
  const found = listed.filter(({ ref }) => !ids.has(ref.id.toLowerCase()));
  const inPool = new Set(members.map(({ instance }) => instance.id.toLowerCase()));
  const rank = ({ tags, power, ref }: SetMember) =>
    tags[CLAIM_TAG] === id ? 0 : inPool.has(ref.id.toLowerCase()) && power === 'running' ? 1 : 2;
  return found.sort((a, b) => rank(a) - rank(b) || (a.ref.id < b.ref.id ? -1 : 1)).slice(0, count);
}

type SetMember = Omit<ListedInstance, 'protection' | 'isOnLatestModel'>;

function withoutMember(listed: SetMember): Instance {
  const { osDisk: _, ...known } = listed;
  return { ...known, protection: { fromScaleIn: false, fromPoolActions: false }, isOnLatestModel: false };
}

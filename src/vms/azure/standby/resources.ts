// vms/azure/standby/resources.ts: read, write and delete Microsoft.StandbyPool through the generic client: it has no package on npm.
import { z } from 'zod';
import { Forbidden, Refused } from '../../../base/failures.ts';
import { groupPath, type ScaleSetRef } from '../arm-ids.ts';
import { apiVersions } from '../connect/api-versions.ts';
import type { AzureCall } from '../connect/connection.ts';
import { awaitOperation } from '../connect/operations.ts';
import { undefinedIfMissing } from '../connect/reading.ts';
import { AzureError, failureOfResponse } from '../connect/translate-errors.ts';
import {
  type AzureStandbyPool,
  type RuntimeView,
  runtimeViewSchema,
  standbyPoolSchema,
  standbyVmSchema,
} from './schema.ts';

const TYPE = 'providers/Microsoft.StandbyPool/standbyVirtualMachinePools';
const version = apiVersions.standbyPools;

export function standbyPoolId(ref: ScaleSetRef, name: string): string {
  return `${groupPath(ref)}/${TYPE}/${name}`;
}

/** The pool that is attached to the set. It may be in any group of the subscription, if the login may list that. */
export async function findAttached(call: AzureCall, ref: ScaleSetRef, setId: string) {
  const what = `standby pools of ${ref.name}`;
  const pools = await listAll(call, `/subscriptions/${ref.subscriptionId}/${TYPE}`, what, standbyPoolSchema).catch(
    (error: unknown) => {
      if (!(error instanceof Forbidden)) throw error;
      return listAll(call, `${groupPath(ref)}/${TYPE}`, what, standbyPoolSchema);
    },
  );
  return pools.find(
    ({ properties }) => properties.attachedVirtualMachineScaleSetId?.toLowerCase() === setId.toLowerCase(),
  );
}

export async function writeStandbyPool(
  call: AzureCall,
  id: string,
  pool: Pick<AzureStandbyPool, 'location' | 'tags' | 'properties'>,
): Promise<void> {
  const order = { verb: 'writing', thing: `standby pool ${nameOf(id)}` };
  const { location, tags, properties } = pool;
  const answer = await call.generic(order, ({ resources }) =>
    resources.createOrUpdateById(id.slice(1), version, { location, properties, ...(tags && { tags }) }).submitted(),
  );
  await awaitOperation(call, order, answer);
}

/** Succeeds when there is none. Azure deletes its VMs. */
export async function deleteStandbyPool(call: AzureCall, id: string): Promise<void> {
  const order = { verb: 'deleting', thing: `standby pool ${nameOf(id)}` };
  await undefinedIfMissing(async () => {
    const answer = await call.generic(order, ({ resources }) => resources.deleteById(id.slice(1), version).submitted());
    await awaitOperation(call, order, answer);
  });
}

/** Undefined while the pool has none. */
export async function readRuntimeView(call: AzureCall, poolId: string): Promise<RuntimeView | undefined> {
  const thing = `the state of standby pool ${nameOf(poolId)}`;
  return undefinedIfMissing(async () =>
    runtimeViewSchema.parse(await read(call, `${poolId}/runtimeViews/latest`, thing)),
  );
}

/** The resource ids of the VMs in the pool. */
export async function listStandbyVms(call: AzureCall, poolId: string): Promise<string[]> {
  const what = `VMs of standby pool ${nameOf(poolId)}`;
  const vms = await undefinedIfMissing(() => listAll(call, `${poolId}/standbyVirtualMachines`, what, standbyVmSchema));
  return (vms ?? []).map(({ properties }) => properties.virtualMachineResourceId);
}

async function listAll<T>(call: AzureCall, id: string, what: string, schema: z.ZodType<T>): Promise<T[]> {
  const page = z.object({ value: z.array(schema), nextLink: z.string().nullish() });
  let { value, nextLink } = page.parse(await read(call, id, what));
  const all = [...value];
  while (nextLink) {
    const answer = await call.send({ method: 'GET', url: nextLink }, what);
    if (answer.status >= 400) throw failureOfResponse(answer, what, call.clock.nowMs());
    ({ value, nextLink } = page.parse(answer.body));
    all.push(...value);
  }
  return all;
}

async function read(call: AzureCall, id: string, thing: string): Promise<unknown> {
  try {
    const answer = await call.generic({ verb: 'reading', thing }, ({ resources }) =>
      resources.getById(id.slice(1), version),
    );
    return answer.body;
  } catch (error) {
    throw unsupported(error) ?? error;
  }
}

const UNSUPPORTED = new Set(['InvalidApiVersionParameter', 'NoRegisteredProviderFound', 'InvalidResourceType']);
const UNREGISTERED = new Set([
  'MissingSubscriptionRegistration',
  'SubscriptionNotRegistered',
  'InvalidResourceNamespace',
]);

/** The first read of every verb shows it, so that nothing was changed. */
function unsupported(error: unknown): Refused | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof AzureError)) return undefined;
  if (UNREGISTERED.has(cause.code))
    return new Refused(
      'the subscription is not registered for Microsoft.StandbyPool',
      'standby/not-registered',
      cause,
      'az provider register --namespace Microsoft.StandbyPool; it takes up to 30 minutes',
    );
  if (!UNSUPPORTED.has(cause.code)) return undefined;
  return new Refused(
    `this Azure does not offer standby pools in api-version ${version}: ${cause.message}`,
    'standby/api-version',
    cause,
    'az provider show --namespace Microsoft.StandbyPool lists regions and versions; without it, use prototypes (docs/prototype.md)',
  );
}

function nameOf(id: string): string {
  return id.split('/').at(-1) ?? id;
}

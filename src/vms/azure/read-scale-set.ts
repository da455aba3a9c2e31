// vms/azure/read-scale-set.ts: read a pool's scale set as raw JSON: the typed client drops fields it does not model.
import { NotFound } from '../../base/failures.ts';
import type { PoolRef } from '../pools.ts';
import { parseScaleSetId, type ScaleSetRef, scaleSetId } from './arm-ids.ts';
import type { Azure } from './azure.ts';
import { apiVersions } from './connect/api-versions.ts';
import type { AzureCall } from './connect/connection.ts';
import { failureOfResponse } from './connect/translate-errors.ts';
import { type AzureScaleSet, scaleSetSchema, traitsOf } from './scale-set.ts';

/** Extensions keep all fields, so that their settings can be written back unchanged. */
export async function readScaleSet(call: AzureCall, ref: ScaleSetRef): Promise<AzureScaleSet | undefined> {
  const what = `scale set ${ref.name}`;
  const answer = await call.send({ method: 'GET', url: `${scaleSetId(ref)}?api-version=${apiVersions.compute}` }, what);
  if (answer.status === 404) {
    const failure = failureOfResponse(answer, what, call.clock.nowMs());
    if (failure instanceof NotFound) return undefined;
    throw failure;
  }
  if (answer.status >= 400) throw failureOfResponse(answer, what, call.clock.nowMs());
  return scaleSetSchema.parse(answer.body);
}

/** The pool that a scale set is; undefined: it does not exist. Remembers what never changes. */
export async function readSetRef(azure: Azure, call: AzureCall, ref: ScaleSetRef): Promise<PoolRef | undefined> {
  const set = await readScaleSet(call, ref);
  return set && remember(azure, set);
}

export function remember({ knownTraits }: Azure, set: AzureScaleSet): PoolRef {
  const pool = refOf(set);
  knownTraits.set(pool.id.toLowerCase(), traitsOf(set));
  return pool;
}

export function poolScaleSet(pool: PoolRef): ScaleSetRef {
  const ref = parseScaleSetId(pool.id);
  if (!ref) throw new NotFound(`pool ${pool.id}`);
  return ref;
}

export function refOf(set: Pick<AzureScaleSet, 'id' | 'name'>): PoolRef {
  const ref = parseScaleSetId(set.id);
  return { id: ref ? scaleSetId({ ...ref, name: set.name }) : set.id, name: set.name };
}

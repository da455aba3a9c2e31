// vms/azure/mark-pool.ts: set the tags of a scale set with a conditional PATCH that leaves the model unchanged.

import type { CallOptions } from '../../base/call-options.ts';
import { NotFound } from '../../base/failures.ts';
import type { PoolRef, TagChange } from '../pools.ts';
import { scaleSetId } from './arm-ids.ts';
import type { Azure } from './azure.ts';
import { apiVersions } from './connect/api-versions.ts';
import { awaitOperation } from './connect/operations.ts';
import { poolScaleSet, readScaleSet } from './read-scale-set.ts';
import { tagsAfter } from './tags.ts';

export async function tagPool(azure: Azure, pool: PoolRef, changes: TagChange, options?: CallOptions): Promise<void> {
  const call = await azure.open(options);
  const ref = poolScaleSet(pool);
  const order = { verb: 'tagging', thing: `scale set ${ref.name}` };
  const set = await readScaleSet(call, ref);
  if (!set) throw new NotFound(order.thing);
  const tags = tagsAfter(set.tags ?? {}, changes);
  if (!tags) return;
  const answer = await call.send(
    {
      method: 'PATCH',
      url: `${scaleSetId(ref)}?api-version=${apiVersions.compute}`,
      // The body replaces all tags, so they must not have changed since the read.
      headers: set.etag ? { 'if-match': set.etag } : {},
      body: { tags },
    },
    order.thing,
  );
  await awaitOperation(call, order, answer);
}

// vms/qemu/pools/change-model.ts: change a pool's model in one update, conditional on its etag.
import { z } from 'zod';
import type { CallOptions } from '../../../base/call-options.ts';
import { Conflict } from '../../../base/failures.ts';
import { withLock } from '../../../host/locks.ts';
import type { Pool, PoolRef, TagChange } from '../../pools.ts';
import type { ModelChange, SavedModel } from '../../publisher.ts';
import type { Home, QemuContext } from '../context.ts';
import { allRecordsOf, poolRecordOf, writeInstanceRecord, writePoolRecord } from '../home/instance-records.ts';
import { homeLock } from '../home/layout.ts';
import { lockPool } from '../home/pool-lock.ts';
import { extensionSchema, type PoolRecord } from '../home/records.ts';
import { checkSpec, traitsOf } from './pools.ts';
import { tagsAfter } from './tags.ts';

export async function changeModel(
  context: QemuContext,
  pool: Pool,
  change: ModelChange,
  options?: CallOptions,
): Promise<void> {
  const { home } = context;
  poolRecordOf(home, pool.ref);
  await lockPool(context.home, pool.ref, `changing the model of ${pool.ref.name}`, options, async () => {
    const record = poolRecordOf(home, pool.ref);
    if (String(record.revision) !== pool.etag) throw new Conflict(`pool ${pool.ref.name} changed since it was read`);
    // No other command may delete the image between our check and the write.
    await withLock(
      context.home,
      { name: homeLock, why: `changing the model of ${pool.ref.name}` },
      options,
      async () => {
        const spec = checkSpec(specAfter(record.spec, change));
        const traits = await traitsOf(home, spec.image);
        writePoolRecord(home, { ...record, modelRevision: record.modelRevision + 1, traits, spec });
      },
    );
  });
}

/** Leaves the model unchanged; the pool's etag changes. */
export async function tagPool(
  context: QemuContext,
  pool: PoolRef,
  tags: TagChange,
  options?: CallOptions,
): Promise<void> {
  const { home } = context;
  poolRecordOf(home, pool);
  await lockPool(context.home, pool, `tagging ${pool.name}`, options, async () => {
    const record = poolRecordOf(home, pool);
    const spec = { ...record.spec, tags: tagsAfter(record.spec.tags, tags) };
    const after = writePoolRecord(home, { ...record, spec });
    for (const instance of allRecordsOf(home, pool)) writeInstanceRecord(home, after, instance);
  });
}

/** Includes custom data and scripts, which are stored nowhere else. */
export async function readModel({ home }: Home, pool: PoolRef): Promise<SavedModel> {
  const { image, customData, extensions } = poolRecordOf(home, pool).spec;
  return { image, ...(customData !== undefined && { customData }), extensions };
}

type Spec = PoolRecord['spec'];

function specAfter({ customData: _, ...spec }: Spec, change: ModelChange): Parameters<typeof checkSpec>[0] {
  const added = z.array(extensionSchema).parse(change.extensions.add);
  const addedNames = new Set(added.map(({ name }) => name));
  const kept = spec.extensions.filter(({ name }) => change.extensions.keep.includes(name) && !addedNames.has(name));
  const extensions = [...kept, ...added];
  const names = new Set(extensions.map(({ name }) => name));
  return {
    ...spec,
    image: change.image,
    ...(change.bootstrap !== 'none' && { customData: change.bootstrap.customData }),
    // Drop dependencies on removed extensions: they would never be met.
    extensions: extensions.map((one) => ({
      ...one,
      after: (change.extensions.after?.[one.name] ?? one.after).filter((name) => names.has(name)),
    })),
    tags: tagsAfter(spec.tags, change.tags),
  };
}

// vms/qemu/home/instance-records.ts: read and write the records of a pool and its instances. Only the holder of the pool's lock writes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotFound } from '../../../base/failures.ts';
import { isMissing } from '../../../host/json-file.ts';
import { visibleIn } from '../../../host/whole-folders.ts';
import type { InstanceRef, PoolRef } from '../../pools.ts';
import { metadataOf } from '../machine/metadata.ts';
import {
  instanceFiles,
  instanceFolder,
  instancesFolder,
  poolFolder,
  poolKey,
  poolNameOf,
  poolRecord,
  poolRef,
} from './layout.ts';
import { readHomeRecord, writeHomeRecord } from './record-file.ts';
import { type InstanceRecord, instanceRecordSchema, type PoolRecord, poolRecordSchema } from './records.ts';

export function readPoolRecord(home: string, pool: PoolRef): PoolRecord | undefined {
  return readHomeRecord(join(poolFolder(home, poolNameOf(pool)), poolRecord), poolRecordSchema);
}

export function poolRecordOf(home: string, pool: PoolRef): PoolRecord {
  const record = readPoolRecord(home, pool);
  if (!record) throw new NotFound(`pool ${pool.name}`);
  return record;
}

/** Increments the revision, which is the pool's etag. */
export function writePoolRecord(home: string, record: PoolRecord): PoolRecord {
  const next = { ...record, revision: record.revision + 1 };
  writeHomeRecord(join(poolFolder(home, record.spec.name), poolRecord), next);
  return next;
}

/** Also undefined for an instance that was never finished. */
export function readInstanceRecord(home: string, ref: InstanceRef): InstanceRecord | undefined {
  return readHomeRecord(join(instanceFolder(home, ref), instanceFiles.record), instanceRecordSchema);
}

export function instanceRecordOf(home: string, ref: InstanceRef): InstanceRecord {
  const record = readInstanceRecord(home, ref);
  if (!record) throw new NotFound(`instance ${ref.id} of pool ${ref.pool.name}`);
  return record;
}

/** The instances in service, without the standby instances. Oldest first. */
export function instanceRecordsOf(home: string, pool: PoolRef): InstanceRecord[] {
  return allRecordsOf(home, pool).filter(({ standby }) => standby === undefined);
}

/** Oldest first. */
export function standbyRecordsOf(home: string, pool: PoolRef): StandbyRecord[] {
  return allRecordsOf(home, pool).filter((record): record is StandbyRecord => record.standby !== undefined);
}

export type StandbyRecord = InstanceRecord & Required<Pick<InstanceRecord, 'standby'>>;

/** Standby instances included. Oldest first. */
export function allRecordsOf(home: string, pool: PoolRef): InstanceRecord[] {
  const name = poolNameOf(pool);
  return visibleIn(instancesFolder(home, name)).flatMap((id) => {
    const record = readInstanceRecord(home, { pool: poolRef(name), id });
    return record ? [record] : [];
  });
}

export function writeInstanceRecord(home: string, pool: PoolRecord, record: InstanceRecord): InstanceRecord {
  const folder = instanceFolder(home, { pool: poolRef(pool.spec.name), id: record.id });
  // The record comes last: once it exists, the instance is complete.
  writeHomeRecord(join(folder, instanceFiles.metadata), metadataOf(pool, record, publicKeysOf(home, pool.spec.name)));
  writeHomeRecord(join(folder, instanceFiles.record), record);
  return record;
}

export function publicKeysOf(home: string, pool: string): string[] {
  try {
    return [readFileSync(join(poolFolder(home, pool), `${poolKey}.pub`), 'utf8').trim()];
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

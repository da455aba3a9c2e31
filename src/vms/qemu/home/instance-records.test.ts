import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NotFound } from '../../../base/failures.ts';
import { setCapacity } from '../pools/capacity.ts';
import { createPool } from '../pools/pools.ts';
import { type Lab, makeLab, poolSpec, publishEmpty } from '../testing.ts';
import {
  instanceRecordOf,
  instanceRecordsOf,
  poolRecordOf,
  publicKeysOf,
  readPoolRecord,
  writeInstanceRecord,
  writePoolRecord,
} from './instance-records.ts';
import { instanceFiles, instanceFolder, poolFolder, poolKey, poolRef } from './layout.ts';

let lab: Lab;
let home: string;
const pool = poolRef('web');
beforeEach(async () => {
  lab = makeLab();
  ({ home } = lab.context);
  await createPool(lab.context, poolSpec(await publishEmpty(lab)));
});
afterEach(() => lab.end());

describe('the record of a pool', () => {
  it('has a higher revision after each write', () => {
    const before = poolRecordOf(home, pool);
    expect(writePoolRecord(home, before).revision).toBe(before.revision + 1);
    expect(readPoolRecord(home, pool)).toEqual({ ...before, revision: before.revision + 1 });
  });

  it('throws NotFound when the pool does not exist', () => {
    expect(readPoolRecord(home, poolRef('none'))).toBeUndefined();
    expect(() => poolRecordOf(home, poolRef('none'))).toThrow(NotFound);
  });
});

describe('the records of instances', () => {
  it('are listed oldest first, without one that was never finished', async () => {
    await setCapacity(lab.context, pool, 2);
    mkdirSync(instanceFolder(home, { pool, id: 'web-000000' }));
    expect(instanceRecordsOf(home, pool).map(({ id }) => id)).toEqual(['web-000001', 'web-000002']);
    expect(() => instanceRecordOf(home, { pool, id: 'web-000000' })).toThrow(NotFound);
  });

  it('are written together with their metadata', async () => {
    await setCapacity(lab.context, pool, 1);
    const ref = { pool, id: 'web-000001' };
    const record = { ...instanceRecordOf(home, ref), userData: 'bmV3' };
    expect(writeInstanceRecord(home, poolRecordOf(home, pool), record)).toEqual(record);
    const metadata = JSON.parse(readFileSync(join(instanceFolder(home, ref), instanceFiles.metadata), 'utf8'));
    expect(metadata).toMatchObject({ vmId: record.vmId, userData: 'bmV3', publicKeys: publicKeysOf(home, 'web') });
  });
});

describe('the keys of a pool', () => {
  it('are its public key, or none', () => {
    expect(publicKeysOf(home, 'web')).toEqual(['ssh-ed25519 AAAA headstart pool']);
    rmSync(join(poolFolder(home, 'web'), `${poolKey}.pub`));
    expect(publicKeysOf(home, 'web')).toEqual([]);
  });
});

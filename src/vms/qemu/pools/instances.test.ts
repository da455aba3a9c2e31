import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NotFound } from '../../../base/failures.ts';
import type { Instance } from '../../pools.ts';
import { instanceRecordOf, poolRecordOf, writeInstanceRecord, writePoolRecord } from '../home/instance-records.ts';
import { instanceFolder, poolRef, providerId } from '../home/layout.ts';
import type { StartedInstance } from '../local-provider.ts';
import { type Lab, makeLab, poolSpec, publishEmpty } from '../testing.ts';
import { setCapacity } from './capacity.ts';
import { listInstances, locate, readDetails, readInstance } from './instances.ts';
import { createPool } from './pools.ts';

let lab: Lab;
let instance: Instance;
const pool = poolRef('web');
beforeEach(async () => {
  lab = makeLab();
  await createPool(lab.context, poolSpec(await publishEmpty(lab)));
  [instance] = (await setCapacity(lab.context, pool, 1)) as [StartedInstance];
});
afterEach(() => lab.end());

const powerNow = async () => (await readInstance(lab.context, instance.ref))?.power;

function want(wanted: 'running' | 'stopped' | 'deallocated'): void {
  const { home } = lab.context;
  writeInstanceRecord(home, poolRecordOf(home, pool), { ...instanceRecordOf(home, instance.ref), wanted });
}

describe('locate', () => {
  it('finds an instance by its provider id, and no other', async () => {
    expect(await locate(lab.context, providerId(instance.ref))).toEqual(instance.ref);
    const gone = providerId({ pool, id: 'web-000009' });
    await expect(locate(lab.context, gone)).rejects.toBeInstanceOf(NotFound);
    await expect(locate(lab.context, 'aws:///x')).rejects.toMatchObject({ code: 'vms/not-an-instance' });
  });
});

describe('the power of an instance', () => {
  it('is that of its machine; a machine that is off is stopped or deallocated, as requested', async () => {
    expect(await powerNow()).toBe('running');
    lab.machines.states.clear();
    want('stopped');
    expect(await powerNow()).toBe('stopped');
    want('deallocated');
    expect(await powerNow()).toBe('deallocated');
  });

  it('is unknown when a full disk pauses the machine', async () => {
    lab.machines.states.set(instance.vmId, 'full');
    expect(await powerNow()).toBe('unknown');
  });
});

it('an instance is on the latest model until the model changes', async () => {
  const { home } = lab.context;
  const record = poolRecordOf(home, pool);
  writePoolRecord(home, { ...record, modelRevision: record.modelRevision + 1 });
  expect(await listInstances(lab.context, pool)).toMatchObject([{ ref: instance.ref, isOnLatestModel: false }]);
});

it('an instance that does not exist is undefined; listing a pool that does not exist throws', async () => {
  expect(await readInstance(lab.context, { pool, id: 'web-000009' })).toBeUndefined();
  await expect(listInstances(lab.context, poolRef('none'))).rejects.toBeInstanceOf(NotFound);
});

it('the details of an instance have the ports of its running machine', async () => {
  const folder = instanceFolder(lab.context.home, instance.ref);
  expect(await readDetails(lab.context, instance.ref)).toMatchObject({ folder, sshPort: 2222 });
  lab.machines.states.clear();
  expect(await readDetails(lab.context, instance.ref)).not.toHaveProperty('sshPort');
});

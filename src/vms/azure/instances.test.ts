import { describe, expect, it } from 'vitest';
import { NotFound } from '../../base/failures.ts';
import { wire } from './connect/testing.ts';
import { listInstances, readInstance } from './instances.ts';
import { group, scaleSetPool as pool, rawScaleSet } from './scale-set.testing.ts';
import { azureOn } from './testing.ts';

const missing = { status: 404, body: { error: { code: 'ResourceNotFound', message: 'no' } } };
const vm = (properties: object = {}) => ({ status: 200, body: { location: 'we', properties } });
const member = { pool, id: `${pool.id}/virtualMachines/3` };

describe('an instance of a uniform set', () => {
  it('is Spot if its scale set is, which is read only once', async () => {
    const spot = { status: 200, body: rawScaleSet({ profile: { priority: 'Spot' } }) };
    const { call, sent } = await wire(vm(), spot, vm());
    const azure = azureOn(call);
    for (const _ of [1, 2]) expect((await readInstance(azure, member))?.isSpot).toBe(true);
    expect(sent).toHaveLength(3);
  });

  it('is undefined when it does not exist, and the scale set is not read', async () => {
    const { call, sent } = await wire(missing);
    expect(await readInstance(azureOn(call), member)).toBeUndefined();
    expect(sent).toHaveLength(1);
  });

  it("has its disk's size from the disk when the VM does not report it", async () => {
    const osDisk = { createOption: 'FromImage', managedDisk: { id: `${group}/disks/d` } };
    const disk = { status: 200, body: { location: 'we', properties: { diskSizeGB: 64 } } };
    const { call } = await wire(vm({ storageProfile: { osDisk } }), { status: 200, body: rawScaleSet() }, disk);
    expect((await readInstance(azureOn(call), member))?.osDisk).toMatchObject({ id: `${group}/disks/d`, sizeGb: 64 });
  });
});

describe('the instances of a set', () => {
  const deallocated = (instanceId: string) => ({
    instanceId,
    location: 'we',
    properties: { storageProfile: { osDisk: { createOption: 'FromImage', managedDisk: { id: `${group}/disks/d` } } } },
  });

  it('are listed without a request per instance, not even for disks of unknown size', async () => {
    const list = { status: 200, body: { value: ['3', '4', '5'].map(deallocated) } };
    const { call, sent } = await wire({ status: 200, body: rawScaleSet() }, list);
    const listed = await listInstances(azureOn(call), pool);
    expect(listed).toHaveLength(3);
    expect(listed[0]).toMatchObject({ ref: member, osDisk: { id: `${group}/disks/d` } });
    expect(sent).toHaveLength(2);
  });

  it('are listed without reading the scale set again', async () => {
    const list = { status: 200, body: { value: [deallocated('3')] } };
    const { call, sent } = await wire({ status: 200, body: rawScaleSet() }, list, list);
    const azure = azureOn(call);
    for (const _ of [1, 2]) expect(await listInstances(azure, pool)).toHaveLength(1);
    expect(sent).toHaveLength(3);
  });

  it('are not an empty list if the scale set was deleted since', async () => {
    const flexible = rawScaleSet({ properties: { orchestrationMode: 'Flexible' } });
    const nothing = { status: 200, body: { value: [] } };
    const { call } = await wire({ status: 200, body: flexible }, nothing, missing, nothing, nothing);
    await expect(listInstances(azureOn(call), pool)).rejects.toBeInstanceOf(NotFound);
  });
});

import { describe, expect, it } from 'vitest';
import { NotFound, Refused } from '../../base/failures.ts';
import { wire } from './connect/testing.ts';
import { instancesOfSet, locate, readInstance } from './instances.ts';
import { group, scaleSetPool as pool, rawScaleSet, scaleSet } from './scale-set.testing.ts';
import { azureOn } from './testing.ts';

const missing = { status: 404, body: { error: { code: 'ResourceNotFound', message: 'no' } } };
const vm = (properties: object = {}) => ({ status: 200, body: { location: 'we', properties } });
const member = { pool, id: `${pool.id}/virtualMachines/3` };

describe('locating an instance by its provider id', () => {
  it("uses the scale set's spelling of its name", async () => {
    const { call } = await wire({ status: 200, body: rawScaleSet() });
    const found = await locate(azureOn(call), `azure://${pool.id.replace(/pool$/, 'POOL')}/virtualMachines/3`);
    expect(found).toEqual(member);
  });

  it('is refused when the VM belongs to no scale set', async () => {
    const { call } = await wire(vm());
    await expect(locate(azureOn(call), `azure://${group}/virtualMachines/alone`)).rejects.toBeInstanceOf(Refused);
  });

  it('throws NotFound when the scale set does not exist', async () => {
    const { call } = await wire(missing);
    await expect(locate(azureOn(call), `azure://${member.id}`)).rejects.toBeInstanceOf(NotFound);
  });
});

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
    const list = {
      status: 200,
      body: { value: [{ instanceId: '3', location: 'we', properties: { storageProfile: { osDisk } } }] },
    };
    const { call } = await wire(list, { status: 200, body: { location: 'we', properties: { diskSizeGB: 64 } } });
    const [found] = await instancesOfSet(call, scaleSet());
    expect(found).toMatchObject({ ref: member, osDisk: { id: `${group}/disks/d`, sizeGb: 64 } });
  });
});

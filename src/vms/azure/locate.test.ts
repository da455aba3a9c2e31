import { describe, expect, it } from 'vitest';
import { Forbidden, NotFound, Refused } from '../../base/failures.ts';
import { wire } from './connect/testing.ts';
import { locate, locateAll, parsedProviderId } from './locate.ts';
import { group, scaleSetPool as pool, rawScaleSet } from './scale-set.testing.ts';
import { azureOn } from './testing.ts';

const missing = { status: 404, body: { error: { code: 'ResourceNotFound', message: 'no' } } };
const set = { status: 200, body: rawScaleSet() };
const vm = (properties: object = {}) => ({ status: 200, body: { location: 'we', properties } });
const member = { pool, id: `${pool.id}/virtualMachines/3` };
const uniform = (n: number) => `azure://${pool.id}/virtualMachines/${n}`;
const flexible = (n: number) => `azure://${group}/virtualMachines/vm${n}`;

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

describe('parsing a provider id', () => {
  it('gives the ids of instance and pool without a request, in one spelling', async () => {
    const { call, sent } = await wire();
    const shouted = uniform(3)
      .replace('/subscriptions/', '/SUBSCRIPTIONS/')
      .replace('resourceGroups', 'resourcegroups');
    expect(parsedProviderId(azureOn(call), shouted)).toEqual({ instanceId: member.id, poolId: pool.id });
    expect(parsedProviderId(azureOn(call), flexible(1))).toEqual({ instanceId: expect.stringMatching(/vm1$/) });
    for (const other of ['', 'qemu:///pool/1', 'azure:///subscriptions/s'])
      expect(parsedProviderId(azureOn(call), other)).toBeUndefined();
    expect(sent).toEqual([]);
  });
});

describe('locating many instances', () => {
  it('reads a scale set once, whatever the number of its instances', async () => {
    const { call, sent } = await wire(set);
    const ids = Array.from({ length: 500 }, (_, n) => uniform(n));
    const found = await locateAll(azureOn(call), [...ids, 'kind://docker/x']);
    expect(found.size).toBe(500);
    expect(found.get(uniform(3))).toEqual(member);
    expect(sent).toHaveLength(1);
  });

  it('lists the VMs of a resource group once to find their scale sets', async () => {
    const owned = (n: number) => ({
      name: `VM${n}`,
      location: 'we',
      properties: n === 0 ? {} : { virtualMachineScaleSet: { id: pool.id } },
    });
    const list = { status: 200, body: { value: Array.from({ length: 50 }, (_, n) => owned(n)) } };
    const { call, sent } = await wire(list, set);
    const found = await locateAll(
      azureOn(call),
      Array.from({ length: 60 }, (_, n) => flexible(n)),
    );
    expect(found.size).toBe(49); // neither the VM without a scale set nor those that are gone
    expect(found.get(flexible(1))?.pool).toEqual(pool);
    expect(sent).toHaveLength(2);
  });

  it('reads a few VMs one by one, and skips those that are gone', async () => {
    const { call, sent } = await wire(missing, vm({ virtualMachineScaleSet: { id: pool.id } }), set);
    expect([...(await locateAll(azureOn(call), [flexible(0), flexible(1)])).keys()]).toEqual([flexible(1)]);
    expect(sent).toHaveLength(3);
  });

  it('does not treat a refused login as a node without a pool', async () => {
    const { call } = await wire({ status: 403, body: { error: { code: 'AuthorizationFailed', message: 'no' } } });
    await expect(locateAll(azureOn(call), [uniform(1)])).rejects.toBeInstanceOf(Forbidden);
  });
});

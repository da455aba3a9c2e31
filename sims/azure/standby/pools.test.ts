import { describe, expect, it } from 'vitest';
import { objectsAt, stringAt } from '../service/json.ts';
import { codeOf } from '../testing.ts';
import { StandbyBench } from './standby.testing.ts';

describe('a standby pool', () => {
  it('is there at once, and reads back as it was written', () => {
    const bench = new StandbyBench();
    const made = bench.put();
    expect([made.status, made.headers?.['azure-asyncoperation']]).toEqual([200, undefined]);
    expect(made.body).toMatchObject({
      type: 'microsoft.standbypool/standbyvirtualmachinepools',
      properties: { provisioningState: 'Succeeded', virtualMachineState: 'Running' },
    });
    expect(bench.ask('GET', bench.poolPath()).body).toEqual(made.body);
  });

  it('is in the lists of its group and of the subscription', () => {
    const bench = new StandbyBench();
    bench.put();
    const scope = `/subscriptions/${bench.world.subscriptionId}`;
    for (const place of [`${scope}/resourceGroups/demo`, scope]) {
      const list = bench.ask('GET', `${place}/providers/Microsoft.StandbyPool/standbyVirtualMachinePools`);
      expect(objectsAt(list.body, 'value').map((one) => one.name)).toEqual(['warm']);
    }
  });

  it('changes by PATCH, and keeps what the request omits', () => {
    const bench = new StandbyBench();
    bench.put();
    const body = { tags: { team: 'payments' }, properties: { virtualMachineState: 'Deallocated' } };
    const changed = bench.ask('PATCH', bench.poolPath(), { body });
    expect(changed.body).toMatchObject({
      tags: { team: 'payments' },
      properties: { virtualMachineState: 'Deallocated', elasticityProfile: { maxReadyCapacity: 3 } },
    });
  });

  it('is deleted together with its VMs, in an operation', () => {
    const bench = new StandbyBench();
    bench.put();
    bench.wait(600);
    const first = bench.ask('DELETE', bench.poolPath());
    expect([first.status, first.body]).toEqual([202, null]);
    expect(first.headers?.location).toBe(first.headers?.['azure-asyncoperation']);
    const url = first.headers?.location ?? '';
    expect(bench.ask('GET', url)).toMatchObject({ status: 202, body: { status: 'Deleting' } });
    expect(codeOf(bench.put())).toEqual([409, 'Conflict']);
    bench.wait(60);
    expect(bench.ask('GET', url)).toMatchObject({ status: 200, body: { status: 'Succeeded', properties: null } });
    expect(codeOf(bench.ask('GET', bench.poolPath()))).toEqual([404, 'ResourceNotFound']);
    expect(bench.instances()).toHaveLength(2);
    expect(bench.ask('DELETE', bench.poolPath()).status).toBe(204);
  });

  it('stays when the deletion fails', () => {
    const bench = new StandbyBench();
    bench.put();
    bench.wait(600);
    const end = bench.askAndWait('DELETE', bench.poolPath(), { strike: { fate: 'failed' } });
    expect(stringAt(end.body, 'status')).toBe('Failed');
    bench.wait(600);
    expect(bench.counts()).toEqual({ Running: 3 });
  });

  it('has operations that roles can name', () => {
    const bench = new StandbyBench();
    const list = bench.ask('GET', '/providers/Microsoft.StandbyPool/operations');
    expect(objectsAt(list.body, 'value').map((one) => one.name)).toContain(
      'Microsoft.StandbyPool/standbyVirtualMachinePools/standbyVirtualMachines/read',
    );
    expect(bench.used.at(-1)).toBe('Microsoft.StandbyPool/operations/read');
  });
});

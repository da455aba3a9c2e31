import { describe, expect, it } from 'vitest';
import { objectsAt, stringAt } from '../service/json.ts';
import { codeOf } from '../testing.ts';
import { StandbyBench } from './standby.testing.ts';

describe('the VMs of a standby pool', () => {
  it('are listed with the ids of their VMs, and each can be read', () => {
    const bench = new StandbyBench();
    bench.put();
    const list = objectsAt(bench.ask('GET', bench.poolPath('/standbyVirtualMachines')).body, 'value');
    expect(list).toHaveLength(3);
    for (const one of list) {
      const id = stringAt(one, 'properties', 'virtualMachineResourceId') ?? '';
      expect(bench.ask('GET', id).status).toBe(200);
      expect(bench.ask('GET', bench.poolPath(`/standbyVirtualMachines/${stringAt(one, 'name')}`)).body).toEqual(one);
    }
  });

  it('are not those of the set', () => {
    const bench = new StandbyBench();
    bench.put();
    const inSet = bench.instances()[0]?.name;
    expect(codeOf(bench.ask('GET', bench.poolPath(`/standbyVirtualMachines/${inSet}`)))).toEqual([
      404,
      'ResourceNotFound',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { objectAt } from '../service/json.ts';
import { Bench } from '../testing.ts';

describe('deleting instances', () => {
  it('deletes the named ones even if they are protected', () => {
    const bench = new Bench();
    bench.askAndWait('PUT', 'virtualMachineScaleSets/pool1/virtualMachines/1', {
      body: { location: 'westeurope', properties: { protectionPolicy: { protectFromScaleSetActions: true } } },
    });
    bench.askAndWait('POST', 'virtualMachineScaleSets/pool1/delete', { body: { instanceIds: ['1'] } });
    expect(bench.instances().map(({ instanceId }) => instanceId)).toEqual(['0']);
    expect(objectAt(bench.ask('GET', 'virtualMachineScaleSets/pool1').body, 'sku')?.capacity).toBe(1);
  });
});

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../service/json.ts';
import { Bench, codeOf, withVersion } from '../testing.ts';

describe('a scale set', () => {
  it('can be created specialized only without an OS profile', () => {
    const bench = new Bench();
    const id = withVersion(bench, { definition: { osState: 'Specialized' } });
    const virtualMachineProfile: JsonObject = { storageProfile: { imageReference: { id } } };
    const body: JsonObject = {
      location: 'westeurope',
      sku: { name: 'Standard_D4s_v5', capacity: 1 },
      properties: { virtualMachineProfile },
    };
    const refused = bench.ask('PUT', 'virtualMachineScaleSets/special', {
      body: {
        ...body,
        properties: { virtualMachineProfile: { ...virtualMachineProfile, osProfile: { adminUsername: 'a' } } },
      },
    });
    expect(codeOf(refused)).toEqual([400, 'InvalidParameter']);
    expect(bench.askAndWait('PUT', 'virtualMachineScaleSets/special', { body }).body?.status).toBe('Succeeded');
    const born = bench.instances().at(-1)!;
    expect([born.birth.osProfile, born.power]).toEqual([null, 'running']);
  });
});

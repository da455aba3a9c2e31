import { describe, expect, it } from 'vitest';
import { Bench, codeOf } from '../testing.ts';

const SETS = [
  { name: 'uniform', instances: 1 },
  { name: 'flexible', mode: 'Flexible' as const, instances: 1 },
];

describe('a request', () => {
  it('finds its scale set in any case, and not one that does not exist', () => {
    const bench = new Bench({ scaleSets: SETS });
    expect(bench.ask('GET', 'virtualMachineScaleSets/UNIFORM').status).toBe(200);
    const missing = bench.ask('GET', 'virtualMachineScaleSets/none');
    expect(codeOf(missing)).toEqual([404, 'ResourceNotFound']);
  });

  it('finds an instance of a flexible set as a virtual machine, and none of a uniform set', () => {
    const bench = new Bench({ scaleSets: SETS });
    const { name } = Object.values(bench.world.instances).find(({ scaleSetId }) => scaleSetId.endsWith('/flexible'))!;
    expect(bench.ask('GET', `virtualMachines/${name}`).status).toBe(200);
    expect(bench.ask('GET', 'virtualMachines/uniform_0').status).toBe(404);
    expect(bench.ask('GET', 'virtualMachines/none').status).toBe(404);
  });
});

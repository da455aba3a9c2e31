import { describe, expect, it } from 'vitest';
import { Bench } from '../testing.ts';
import { objectsAt, stringAt } from './json.ts';

describe('a long list', () => {
  it('has pages that lead to the last one', () => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 220 }] });
    const sizes: number[] = [];
    const ids = new Set<unknown>();
    for (let url: string | undefined = 'virtualMachineScaleSets/pool1/virtualMachines'; url; ) {
      const { body } = bench.ask('GET', url);
      const value = objectsAt(body, 'value');
      sizes.push(value.length);
      for (const one of value) ids.add(one.instanceId);
      url = stringAt(body, 'nextLink');
    }
    expect([sizes, ids.size]).toEqual([[100, 100, 20], 220]);
  });
});

import { describe, expect, it } from 'vitest';
import { isObject, objectAt, objectsAt, stringAt } from '../service/json.ts';
import { Bench } from '../testing.ts';

const flexible = (instances = 2) =>
  new Bench({
    scaleSets: [
      { name: 'pool1', mode: 'Flexible', instances },
      { name: 'pool2', mode: 'Flexible', instances: 1 },
      { name: 'uniform', instances: 1 },
    ],
  });

describe('the instances of a Flexible set', () => {
  it('are virtual machines that name their set', () => {
    const bench = flexible();
    const all = objectsAt(bench.ask('GET', 'virtualMachines').body, 'value');
    expect(all).toHaveLength(3);
    const filter = `'virtualMachineScaleSet/id' eq '${bench.set().id}'`;
    const mine = objectsAt(
      bench.ask('GET', 'virtualMachines', { query: new URLSearchParams({ $filter: filter }).toString() }).body,
      'value',
    );
    expect(mine.map((vm) => stringAt(vm, 'properties', 'virtualMachineScaleSet', 'id'))).toEqual([
      bench.set().id,
      bench.set().id,
    ]);
  });

  it('have few fields in the answers of their set, and many in their own', () => {
    const bench = flexible();
    const [short] = objectsAt(bench.ask('GET', 'virtualMachineScaleSets/pool1/virtualMachines').body, 'value');
    expect(short?.properties).toBeUndefined();
    const vm = bench.ask('GET', `virtualMachines/${stringAt(short, 'instanceId')}`, { query: '$expand=instanceView' });
    expect(isObject(objectAt(vm.body, 'properties')?.instanceView)).toBe(true);
  });

  it('accept tags in a PATCH with their ETag', () => {
    const bench = flexible();
    const { name } = bench.instances()[0]!;
    expect(bench.ask('PATCH', `virtualMachines/${name}`, { ifMatch: '"9"', body: { tags: { a: 'b' } } }).status).toBe(
      412,
    );
    bench.askAndWait('PATCH', `virtualMachines/${name}`, { ifMatch: '"1"', body: { tags: { a: 'b' } } });
    expect(bench.instances()[0]).toMatchObject({ tags: { a: 'b' }, state: 'Succeeded' });
  });

  it('are deleted with their disks, and the capacity of the set decreases', () => {
    const bench = flexible();
    const disks = Object.keys(bench.world.disks).length;
    bench.askAndWait('DELETE', `virtualMachines/${bench.instances()[0]!.name}`);
    expect(Object.keys(bench.world.disks)).toHaveLength(disks - 1);
    expect(objectAt(bench.ask('GET', 'virtualMachineScaleSets/pool1').body, 'sku')?.capacity).toBe(1);
  });
});

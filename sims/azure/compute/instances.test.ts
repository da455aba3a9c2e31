import { describe, expect, it } from 'vitest';
import { objectAt, objectsAt } from '../service/json.ts';
import { Bench, codeOf, withExtensions } from '../testing.ts';

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

describe('a list of instances', () => {
  it.each(['$select=instanceView&$expand=instanceView', '$select=instanceview&$expand=InstanceView'])(
    'with %s has the view of each and little else, as recorded',
    (query) => {
      const { body } = withExtensions().ask('GET', 'virtualMachineScaleSets/pool1/virtualMachines', { query });
      const items = objectsAt(body, 'value');
      expect(items.map(({ instanceId }) => instanceId)).toEqual(['0', '1']);
      for (const item of items) {
        expect(Object.keys(item).sort()).toEqual(['id', 'instanceId', 'properties']);
        expect(Object.keys(objectAt(item, 'properties')!).sort()).toEqual(['instanceView', 'latestModelApplied']);
      }
    },
  );

  it('with another selection is refused: nobody has seen what it gives', () => {
    const query = '$select=name';
    expect(codeOf(new Bench().ask('GET', 'virtualMachineScaleSets/pool1/virtualMachines', { query }))).toEqual([
      400,
      'BadRequest',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { objectAt, objectsAt, stringAt } from '../service/json.ts';
import { Bench, codeOf } from '../testing.ts';

const subscription = (bench: Bench) => `/subscriptions/${bench.world.subscriptionId}/providers/Microsoft.Compute`;

describe('sizes and quotas', () => {
  it('a scale set names the sizes it could have', () => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', size: 'Standard_E16s_v5' }] });
    const { body } = bench.ask('GET', 'virtualMachineScaleSets/pool1/skus');
    expect(objectsAt(body, 'value').map((one) => stringAt(one, 'sku', 'name'))).toContain('Standard_E16s_v5');
    expect(objectAt(objectsAt(body, 'value')[0], 'capacity')).toMatchObject({ minimum: 0, maximum: 1000 });
    expect(bench.ask('GET', 'virtualMachineScaleSets/none/skus').status).toBe(404);
  });

  it('usages count machines and their cores, in one region', () => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 3, size: 'Standard_D8s_v5' }] });
    const used = (region: string) => {
      const { body } = bench.ask('GET', `${subscription(bench)}/locations/${region}/usages`);
      return objectsAt(body, 'value').map(({ currentValue }) => currentValue);
    };
    expect(used('westeurope')).toEqual([24, 3, 1]);
    expect(used('eastus')).toEqual([0, 0, 0]);
  });

  it('resource SKUs say which disk controller and generation a size has', () => {
    const bench = new Bench();
    const { body } = bench.ask('GET', `${subscription(bench)}/skus`, { query: "$filter=location eq 'westeurope'" });
    const capabilityOf = (size: string, name: string) => {
      const sku = objectsAt(body, 'value').find((one) => one.name === size);
      return objectsAt(sku, 'capabilities').find((one) => one.name === name)?.value;
    };
    expect(capabilityOf('Standard_D4s_v5', 'DiskControllerTypes')).toBe('SCSI');
    expect(capabilityOf('Standard_D4s_v6', 'DiskControllerTypes')).toBe('NVMe');
    expect(capabilityOf('Standard_D4s_v6', 'HyperVGenerations')).toBe('V2');
  });

  it('resource SKUs of another region are none, and another filter is refused', () => {
    const bench = new Bench();
    const ask = (query: string) => bench.ask('GET', `${subscription(bench)}/skus`, { query });
    expect(ask("$filter=location eq 'eastus'").body).toEqual({ value: [] });
    expect(codeOf(ask("$filter=name eq 'x'"))).toEqual([400, 'BadRequest']);
  });
});

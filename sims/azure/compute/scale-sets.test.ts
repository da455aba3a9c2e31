import { describe, expect, it } from 'vitest';
import { Bench, BOOTSTRAP, codeOf, withExtensions } from '../testing.ts';

describe('a scale set', () => {
  it('never returns custom data or protected settings, and gives them to new instances', () => {
    const bench = withExtensions();
    const text = JSON.stringify([
      bench.ask('GET', 'virtualMachineScaleSets/pool1'),
      bench.ask('GET', 'virtualMachineScaleSets/pool1/virtualMachines'),
      bench.ask('GET', 'virtualMachineScaleSets/pool1/extensions'),
    ]);
    expect(text).not.toContain('s3cret');
    expect(text).not.toContain(Buffer.from(BOOTSTRAP).toString('base64'));
    bench.askAndWait('PATCH', 'virtualMachineScaleSets/pool1', { body: { sku: { capacity: 3 } } });
    const { birth } = bench.instances().at(-1)!;
    expect(birth.customData).toBe(Buffer.from(BOOTSTRAP).toString('base64'));
    expect(birth.protectedSettings.cse).toEqual({ key: 's3cret' });
  });

  it('refuses a second write while the first runs, but not two stops of two instances', () => {
    const bench = new Bench();
    bench.ask('PATCH', 'virtualMachineScaleSets/pool1', { body: { tags: {} } });
    const second = bench.ask('PATCH', 'virtualMachineScaleSets/pool1', { body: { tags: {} } });
    expect(codeOf(second)).toEqual([409, 'Conflict']);
    bench.nowMs += 60_000;
    const stop = (id: number) =>
      bench.ask('POST', `virtualMachineScaleSets/pool1/virtualMachines/${id}/powerOff`).status;
    expect([stop(0), stop(1), stop(0)]).toEqual([202, 202, 409]);
  });

  it('deletes the newest first, and never a protected one', () => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 3 }] });
    bench.askAndWait('PUT', 'virtualMachineScaleSets/pool1/virtualMachines/2', {
      body: { location: 'westeurope', properties: { protectionPolicy: { protectFromScaleIn: true } } },
    });
    bench.askAndWait('PATCH', 'virtualMachineScaleSets/pool1', { body: { sku: { capacity: 2 } } });
    expect(bench.instances().map(({ instanceId }) => instanceId)).toEqual(['0', '2']);
    expect(Object.keys(bench.world.disks)).toHaveLength(2);
  });
});

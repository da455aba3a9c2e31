import { describe, expect, it } from 'vitest';
import { Bench } from '../testing.ts';

describe('upgrade mode Automatic', () => {
  it('replaces running instances as soon as the model changes, the protected one aside', () => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 3, upgrades: 'Automatic' }] });
    bench.askAndWait('PUT', 'virtualMachineScaleSets/pool1/virtualMachines/0', {
      body: { location: 'westeurope', properties: { protectionPolicy: { protectFromScaleSetActions: true } } },
    });
    const before = bench.instances().map(({ osDiskId }) => osDiskId);
    bench.askAndWait('PATCH', 'virtualMachineScaleSets/pool1', {
      body: { properties: { virtualMachineProfile: { osProfile: { customData: 'AAAA' } } } },
    });
    const isKept = bench.instances().map(({ osDiskId }, i) => osDiskId === before[i]);
    expect(isKept).toEqual([true, false, false]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countsOf, propertiesOf, sizeOf } from './properties.ts';
import { counts } from './standby.testing.ts';

const set = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/pool1';
const anyCounts = (most: number) =>
  fc.record({ paused: fc.nat(most), frozen: fc.nat(most), stopped: fc.nat(most) }).filter((one) => sizeOf(one) > 0);

describe('a policy as properties of a standby pool', () => {
  it.each([
    [{ paused: 2 }, 'Running'],
    [{ frozen: 2 }, 'Hibernated'],
    [{ stopped: 2 }, 'Deallocated'],
  ])('has one state: %j', (some, virtualMachineState) => {
    expect(propertiesOf(counts(some), set)).toEqual({
      attachedVirtualMachineScaleSetId: set,
      elasticityProfile: { maxReadyCapacity: 2, minReadyCapacity: 2 },
      virtualMachineState,
    });
  });

  it('with several tiers is a mix of percentages that add up to 100', () => {
    expect(propertiesOf(counts({ paused: 1, frozen: 1, stopped: 1 }), set)).toMatchObject({
      virtualMachineState: 'Mix',
      vmStateDistribution: { runningPercent: 34, hibernatedPercent: 33, deallocatedPercent: 33 },
    });
    fc.assert(
      fc.property(anyCounts(400), (some) => {
        const { vmStateDistribution: percents } = propertiesOf(some, set);
        if (!percents) return;
        const { runningPercent, hibernatedPercent, deallocatedPercent } = percents;
        expect((runningPercent ?? 0) + (hibernatedPercent ?? 0) + (deallocatedPercent ?? 0)).toBe(100);
      }),
    );
  });

  it('reads back as it was, whatever the size of the set, up to 50 instances', () => {
    fc.assert(
      fc.property(anyCounts(16), fc.nat(900), (some, instances) => {
        expect(countsOf(propertiesOf(some, set), instances)).toEqual(some);
      }),
    );
  });

  it('of more instances keeps the number, and each tier to about a percent', () => {
    fc.assert(
      fc.property(anyCounts(330), (some) => {
        const read = countsOf(propertiesOf(some, set), 0);
        expect(sizeOf(read)).toBe(sizeOf(some));
        for (const tier of ['paused', 'frozen', 'stopped'] as const)
          expect(Math.abs(read[tier] - some[tier])).toBeLessThanOrEqual(1 + sizeOf(some) / 100);
      }),
    );
  });
});

it("a pool that someone else made keeps its maximum less the set's instances, not below its minimum", () => {
  const theirs = {
    virtualMachineState: 'Deallocated',
    elasticityProfile: { maxReadyCapacity: 10, minReadyCapacity: 2 },
  };
  expect(countsOf(theirs, 4)).toEqual(counts({ stopped: 6 }));
  expect(countsOf(theirs, 40)).toEqual(counts({ stopped: 2 }));
  expect(countsOf({ ...theirs, virtualMachineState: 'Unheard of' }, 4)).toEqual(counts({}));
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unit } from '../testing.ts';
import { unitUse } from './unit-use.ts';

const used = (tookS: number, cpuS: number, serviceType: string) =>
  unitUse(unit('a.service', 5, tookS, [], { serviceType, used: { cpuUs: cpuS * 1e6 } }));

describe('unitUse', () => {
  it('says waiting if the CPU time of the whole life is a small part of the start', () => {
    expect(used(11.6, 0.4, 'notify')).toEqual({ cpuUs: 0.4e6, isStartOnly: false, verdict: 'waiting' });
  });

  it('says CPU-bound only of a service whose processes ended with its start', () => {
    expect(used(10, 9, 'oneshot')).toMatchObject({ isStartOnly: true, verdict: 'cpu-bound' });
    expect(used(10, 9, 'notify')).not.toHaveProperty('verdict'); // may have used it since
    const failed = unit('a.service', 5, 0, [], { activatedUs: 0, deactivatedUs: 15e6, used: { cpuUs: 10e6 } });
    expect(unitUse(failed)).toMatchObject({ isStartOnly: true, verdict: 'cpu-bound' });
  });

  it('decides nothing in between, of a short start, or without numbers', () => {
    expect(used(10, 5, 'oneshot')).not.toHaveProperty('verdict');
    expect(used(0.05, 0.001, 'oneshot')).not.toHaveProperty('verdict');
    expect(unitUse(unit('a.service', 5, 9))).toBeUndefined();
    expect(unitUse(unit('a.service', 5, 9, [], { used: { readBytes: 7 } }))).toEqual({
      ...{ readBytes: 7, isStartOnly: false },
    });
  });

  it('stays "waiting" with less CPU time, and with a longer start', () => {
    const seconds = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(seconds, seconds, fc.nat({ max: 50 }), (took, cpu, less) => {
        if (used(took, cpu, 'simple')?.verdict !== 'waiting') return;
        expect(used(took + less, Math.max(0, cpu - less), 'simple')?.verdict).toBe('waiting');
      }),
    );
  });
});

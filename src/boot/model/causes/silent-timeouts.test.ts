import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRecord, bootRecord, managerTimes, span, unit } from '../../testing.ts';
import { silentTimeouts } from './silent-timeouts.ts';

const device = unit('dev-sdb.device', 0, 0, [], { jobTimeoutUs: 90e6 });
const swap = unit('dev-sdb.swap', 0, 0, ['dev-sdb.device'], { bindsTo: ['dev-sdb.device'] });
const early = unit('early.service', 2, 1);
const target = unit('swap.target', 92.3, 0, ['dev-sdb.swap', 'early.service']);
const boot = (...units: ReturnType<typeof unit>[]) =>
  bootRecord({ manager: managerTimes({ userspaceUs: 1e6, finishUs: 96e6 }), units });

describe('silentTimeouts', () => {
  it('finds the device that a target waited for until its timeout had passed', () => {
    expect(silentTimeouts(boot(early, device, swap, target))).toMatchObject([
      {
        ...{ unit: 'dev-sdb.device', startUs: 2.3e6, endUs: 92.3e6, result: 'fail', wait: 'the device never appeared' },
        failure: 'timed out after 1min 30s (inferred from its limit)',
      },
      { id: 'job:dev-sdb.swap', startUs: 92.3e6, endUs: 92.3e6, failure: 'a dependency failed' },
    ]);
  });

  it.each([
    ['the device appeared', [early, { ...device, activatingUs: 5e6, activatedUs: 5e6 }, swap, target]],
    ['the unit that needs it started', [early, device, { ...swap, activatingUs: 3e6, activatedUs: 4e6 }, target]],
    ['the device has no timeout', [early, unit('dev-sdb.device', 0, 0), swap, target]],
    ['nothing waited as long', [early, device, swap, { ...target, activatingUs: 20e6, activatedUs: 20e6 }]],
    ['the device is only wanted', [early, device, { ...swap, bindsTo: [] }, target]],
    [
      'another dependency ended just before',
      [early, unit('slow.service', 9, 83), device, swap, { ...target, after: ['dev-sdb.swap', 'slow.service'] }],
    ],
  ])('finds nothing if %s', (_, units) => {
    expect(silentTimeouts(boot(...units))).toEqual([]);
  });

  it('adds nothing to what a journal logged', () => {
    const logged = span('device-wait:dev-sdb.device', 2, 92, { source: 'systemd', unit: 'dev-sdb.device' });
    expect(silentTimeouts({ ...boot(early, device, swap, target), spans: [logged] })).toEqual([]);
  });

  it('finds nothing in any boot whose devices have no timeout', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        expect(silentTimeouts(record)).toEqual([]);
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { bootRecord, managerTimes, unit } from '../testing.ts';
import { endsOf, originUs, reachedUs } from './total.ts';

const record = bootRecord({
  manager: managerTimes({ userspaceUs: 2e6, finishUs: 12e6 }),
  units: [
    unit('multi-user.target', 10, 0, [], { aliases: ['default.target'] }),
    unit('app.service', 4, 3, [], { aliases: ['alias.service'] }),
    unit('never.service', 0, 0),
  ],
  milestones: [{ name: 'node-registered', atUs: 20e6, source: 'cluster' }],
});

describe('endsOf', () => {
  it('lists the preferred end first', () => {
    expect([...endsOf(record)]).toEqual([
      ['startup-finished', 12e6],
      ['default-target', 10e6],
    ]);
    const ready = { name: 'node-ready', atUs: 30e6, source: 'cluster' } as const;
    expect([...endsOf({ ...record, milestones: [ready] }).keys()][0]).toBe('node-ready');
    expect(endsOf(bootRecord()).size).toBe(0);
  });

  it('omits a default target that was not reached', () => {
    const waiting = bootRecord({ units: [unit('multi-user.target', 10, 0, [], { activatedUs: 0 })] });
    expect(endsOf(waiting).has('default-target')).toBe(false);
  });
});

describe('reachedUs', () => {
  it.each([
    ['default-target', 10e6],
    ['node-registered', 20e6],
    ['app.service', 7e6],
    ['alias.service', 7e6],
    ['never.service', undefined],
    ['absent.service', undefined],
  ])('%s: %s', (name, us) => {
    expect(reachedUs(record, name)).toBe(us);
  });
});

describe('originUs', () => {
  it('is kernel start, not the start of firmware or loader', () => {
    expect(originUs(bootRecord({ manager: managerTimes({ firmwareUs: 9e6, loaderUs: 3e6 }) }))).toBe(0);
  });

  it('is the soft reboot if there was one, and 0 if no phase is known', () => {
    const manager = managerTimes({ softRebootsCount: 1, shutdownStartUs: 90e6, userspaceUs: 95e6, finishUs: 99e6 });
    expect(originUs(bootRecord({ manager }))).toBe(90e6);
    expect(originUs(bootRecord())).toBe(0);
  });
});

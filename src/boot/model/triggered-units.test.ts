import { describe, expect, it } from 'vitest';
import { bootRecord, unit } from '../testing.ts';
import { triggerEvent, triggeredUnits } from './triggered-units.ts';

const found = (...units: ReturnType<typeof unit>[]) => [...triggeredUnits(bootRecord({ units }))];

describe('triggeredUnits', () => {
  it('reads TriggeredBy= of the unit and Triggers= of the timer', () => {
    const expected = [['late.service', 'soon.timer']];
    const timer = unit('soon.timer', 1, 0);
    expect(found(timer, unit('late.service', 30, 5, [], { triggeredBy: ['soon.timer'] }))).toEqual(expected);
    expect(found({ ...timer, triggers: ['late.service'] }, unit('late.service', 30, 5))).toEqual(expected);
  });

  it('takes a timer or path of the same name if the input has no triggers, but no socket', () => {
    expect(found(unit('a.timer', 1, 0), unit('a.service', 30, 5))).toEqual([['a.service', 'a.timer']]);
    expect(found(unit('a.path', 1, 0), unit('a.service', 30, 5))).toEqual([['a.service', 'a.path']]);
    expect(found(unit('a.socket', 1, 0), unit('a.service', 30, 5))).toEqual([]);
  });

  it.each(['wants', 'requires', 'bindsTo', 'upholds'] as const)(
    'leaves out a unit with a socket that another unit %s: the boot starts it',
    (list) => {
      const docker = unit('docker.service', 3, 5, [], { triggeredBy: ['docker.socket'] });
      const target = unit('multi-user.target', 9, 0, [], { [list]: ['docker.service'] });
      expect(found(unit('docker.socket', 1, 0), docker)).toHaveLength(1);
      expect(found(unit('docker.socket', 1, 0), docker, target)).toEqual([]);
    },
  );

  it('takes the first device that wants a unit, unless another unit wants it too', () => {
    const wants = ['bluetooth.service'];
    const devices = [unit('b.device', 4, 0, [], { wants }), unit('a.device', 3, 0, [], { wants })];
    const service = unit('bluetooth.service', 4, 1);
    expect(found(...devices, service)).toEqual([['bluetooth.service', 'a.device']]);
    expect(found(...devices, service, unit('x.target', 1, 0, [], { wants }))).toEqual([]);
  });

  it.each([
    ['a.timer', 'until a.timer elapsed'],
    ['a.socket', 'until a client connected to a.socket'],
    ['a.device', 'until a.device appeared'],
    ['a.path', 'until a.path triggered it'],
  ])('says what %s waited for', (name, text) => expect(triggerEvent(name)).toBe(text));

  it('ignores triggers and units that did not start', () => {
    const late = unit('late.service', 30, 5, [], { triggeredBy: ['late.timer'] });
    expect(found(late)).toEqual([]);
    expect(found(unit('late.timer', 1, 0, [], { triggers: ['other.service'] }))).toEqual([]);
  });
});

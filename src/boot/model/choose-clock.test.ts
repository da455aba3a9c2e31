import { describe, expect, it } from 'vitest';
import { managerTimes, span, unit } from '../testing.ts';
import { chooseClock } from './choose-clock.ts';
import { evidence } from './evidence.ts';
import { anchor, merge, WALL, wallSpan } from './testing.ts';

describe('the clock of a boot', () => {
  it('narrows a wall clock known to the second with the uptime a log notes beside its stamps, the promptest of them', () => {
    const trueZeroUs = WALL + 400_000;
    const [boot] = merge(
      evidence({
        kind: 'systemctl-manager',
        input: 'm',
        clock: 'monotonic',
        anchors: [{ monotonicUs: 0, wallUs: WALL, errorUs: 1e6 }],
        manager: managerTimes(),
      }),
      evidence({
        kind: 'cloud-init-log',
        input: 'c',
        clock: 'wall',
        anchors: [
          { monotonicUs: 20e6, wallUs: trueZeroUs + 20.3e6, errorUs: 10_000 },
          { monotonicUs: 5e6, wallUs: trueZeroUs + 5e6, errorUs: 10_000 },
          { monotonicUs: 9e6, wallUs: trueZeroUs + 99e6, errorUs: 10_000 },
        ],
      }),
    );
    expect(boot!.clock).toEqual({ zero: 'kernel', wallAtZeroUs: trueZeroUs + 5_000, errorUs: 5_000 });
    expect(boot!.notes).toEqual([]);
  });

  it('places pasted listings, which count from userspace, after the kernel where that is known', () => {
    const pasted = evidence({
      kind: 'analyze-critical-chain',
      input: 'p',
      clock: 'userspace',
      units: [unit('a.service', 3, 1)],
    });
    const [alone] = merge(pasted);
    expect(alone!.clock.zero).toBe('userspace');
    expect(alone!.units[0]!.activatingUs).toBe(3e6);
    const [withManager] = merge(
      pasted,
      evidence({ kind: 'analyze-time', input: 't', clock: 'monotonic', manager: managerTimes({ userspaceUs: 2e6 }) }),
    );
    expect(withManager!.units[0]!.activatingUs).toBe(5e6);
  });

  it('starts at the first event when there are wall times only', () => {
    const [boot] = merge(
      evidence({ kind: 'extension-event', input: 'e', clock: 'wall', spans: [wallSpan('extension:a', 30, 31)] }),
    );
    expect(boot!.clock).toEqual({ zero: 'first-event', wallAtZeroUs: WALL + 30e6, errorUs: 0 });
    expect(boot!.spans[0]).toMatchObject({ startUs: 0, endUs: 1e6 });
  });

  it('is the kernel clock as soon as one piece knows it, and leaves unmoved what has no times', () => {
    const dmesg = evidence({ kind: 'dmesg', input: 'd', clock: 'monotonic', spans: [span('kernel:until-init', 0, 4)] });
    const facts = evidence({ kind: 'host-facts', input: 'h', clock: 'wall' });
    const log = evidence({
      kind: 'cloud-init-log',
      input: 'c',
      clock: 'wall',
      spans: [wallSpan('cloud-init:x', 5, 6)],
    });
    const clock = chooseClock([dmesg, facts, log], undefined);
    expect(clock.zero).toBe('kernel');
    expect(clock.shiftOf(dmesg)!(7)).toBe(7);
    expect(clock.shiftOf(facts)).toBeDefined();
    expect(clock.shiftOf(log)).toBeUndefined();
  });

  it('takes anchors of the kernel or the journal before those of a log writer, which lag behind', () => {
    const clock = chooseClock(
      [
        evidence({ kind: 'journal-json', input: 'j', clock: 'monotonic', anchors: [anchor(WALL)] }),
        evidence({ kind: 'cloud-init-log', input: 'c', clock: 'wall', anchors: [anchor(WALL + 300_000)] }),
      ],
      undefined,
    );
    expect(clock.wallAtZeroUs).toBe(WALL);
  });

  it('is that of a log writer where nothing else ties the two clocks', () => {
    const log = evidence({ kind: 'cloud-init-log', input: 'c', clock: 'wall', anchors: [anchor(WALL)] });
    expect(chooseClock([log], undefined)).toMatchObject({ zero: 'kernel', wallAtZeroUs: WALL });
  });

  it('places wall times nowhere on a clock that begins in userspace', () => {
    const pasted = evidence({
      kind: 'analyze-blame',
      input: 'b',
      clock: 'userspace',
      units: [unit('a.service', 1, 2)],
    });
    const log = evidence({
      kind: 'cloud-init-log',
      input: 'c',
      clock: 'wall',
      spans: [wallSpan('cloud-init:x', 5, 6)],
    });
    const clock = chooseClock([pasted, log], undefined);
    expect(clock.zero).toBe('userspace');
    expect(clock.shiftOf(log)).toBeUndefined();
  });

  it('has no wall time at zero where nothing was seen', () => {
    expect(chooseClock([], undefined)).not.toHaveProperty('wallAtZeroUs');
  });
});

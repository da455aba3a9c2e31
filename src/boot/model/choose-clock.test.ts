import { describe, expect, it } from 'vitest';
import { managerTimes, span, unit } from '../testing.ts';
import { chooseClock } from './choose-clock.ts';
import { evidence } from './evidence.ts';
import { anchor, merge, WALL, wallSpan } from './testing.ts';

describe('chooseClock', () => {
  it('narrows a wall clock with a resolution of 1 s by the least delayed uptime banner of a log', () => {
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

  it('shifts pasted listings, which count from userspace, to kernel start if that is known', () => {
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

  it('starts at the first event if there are only wall times', () => {
    const [boot] = merge(
      evidence({ kind: 'extension-event', input: 'e', clock: 'wall', spans: [wallSpan('extension:a', 30, 31)] }),
    );
    expect(boot!.clock).toEqual({ zero: 'first-event', wallAtZeroUs: WALL + 30e6, errorUs: 0 });
    expect(boot!.spans[0]).toMatchObject({ startUs: 0, endUs: 1e6 });
  });

  it('ignores a log that is less precise or disagrees', () => {
    const manager = evidence({
      kind: 'systemctl-manager',
      input: 'm',
      clock: 'monotonic',
      anchors: [{ monotonicUs: 0, wallUs: WALL, errorUs: 1e6 }],
    });
    const log = (wallUs: number, errorUs: number) =>
      evidence({ kind: 'cloud-init-log', input: 'c', clock: 'wall', anchors: [{ monotonicUs: 0, wallUs, errorUs }] });
    const alone = chooseClock([manager], undefined).wallAtZeroUs;
    expect(chooseClock([manager, log(WALL + 100_000, 600_000)], undefined).wallAtZeroUs).toBe(alone);
    expect(chooseClock([manager, log(WALL + 5e6, 10_000)], undefined).wallAtZeroUs).toBe(alone);
    expect(chooseClock([manager, log(WALL + 100_000, 10_000)], undefined).wallAtZeroUs).not.toBe(alone);
  });

  it('uses the kernel clock if any evidence has it, and does not shift evidence without times', () => {
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

  it('prefers anchors of the kernel or the journal over those of a log writer, which lag behind', () => {
    const clock = chooseClock(
      [
        evidence({ kind: 'journal-json', input: 'j', clock: 'monotonic', anchors: [anchor(WALL)] }),
        evidence({ kind: 'cloud-init-log', input: 'c', clock: 'wall', anchors: [anchor(WALL + 300_000)] }),
      ],
      undefined,
    );
    expect(clock.wallAtZeroUs).toBe(WALL);
  });

  it('uses the anchors of a log writer if there are no others', () => {
    const log = evidence({ kind: 'cloud-init-log', input: 'c', clock: 'wall', anchors: [anchor(WALL)] });
    expect(chooseClock([log], undefined)).toMatchObject({ zero: 'kernel', wallAtZeroUs: WALL });
  });

  it('does not place wall times on a clock that begins in userspace', () => {
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

  it('has no wall time at zero if there are no events', () => {
    expect(chooseClock([], undefined)).not.toHaveProperty('wallAtZeroUs');
  });
});

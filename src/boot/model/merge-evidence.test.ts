import { describe, expect, it } from 'vitest';
import { managerTimes, unit } from '../testing.ts';
import { evidence } from './evidence.ts';
import { anchor, merge, WALL, wallSpan } from './testing.ts';

const BOOT = 'a'.repeat(32);

describe('mergeEvidence', () => {
  it('shifts wall-clock logs to the kernel clock if an anchor relates the two', () => {
    const [boot, ...rest] = merge(
      evidence({
        kind: 'systemctl-manager',
        input: 'm',
        clock: 'monotonic',
        anchors: [anchor()],
        manager: managerTimes(),
      }),
      evidence({
        kind: 'cloud-init-log',
        input: 'c',
        clock: 'wall',
        spans: [wallSpan('cloud-init:init-local', 10, 12)],
      }),
    );
    expect(rest).toEqual([]);
    expect(boot!.clock).toEqual({ zero: 'kernel', wallAtZeroUs: WALL, errorUs: 0 });
    expect(boot!.spans).toMatchObject([{ id: 'cloud-init:init-local', startUs: 10e6, endUs: 12e6 }]);
    expect(boot!.notes).toEqual([]);
  });

  it('gives a milestone of a wall-clock log the error of the relation between the two clocks', () => {
    const errorsOf = (clockErrorUs: number, errorUs?: number) =>
      merge(
        evidence({
          kind: 'journal-text',
          input: 'j',
          clock: 'wall',
          anchors: [{ ...anchor(), errorUs: clockErrorUs }],
          milestones: [
            { name: 'node-ready', atUs: WALL + 20e6, source: 'kubelet', ...(errorUs !== undefined && { errorUs }) },
          ],
        }),
      )[0]!.milestones.map((milestone) => milestone.errorUs);
    expect(errorsOf(1e6)).toEqual([500_000]);
    expect(errorsOf(1e6, 1e6)).toEqual([1_500_000]);
    expect(errorsOf(100)).toEqual([undefined]);
  });

  it('places no line of a text log before the kernel start because of the error of the clocks', () => {
    const startsAt = (kind: 'journal-text' | 'extension-event', atS: number) =>
      merge(
        evidence({
          kind,
          input: 'j',
          clock: 'wall',
          anchors: [{ ...anchor(), errorUs: 1e6 }],
          spans: [wallSpan('systemd:x', atS, 2)],
        }),
      )[0]!.spans[0]!.startUs;
    expect(startsAt('journal-text', -0.2)).toBe(1);
    expect(startsAt('journal-text', 3)).toBe(2.5e6);
    expect(startsAt('journal-text', -300)).toBe(-300.5e6);
    expect(startsAt('extension-event', -0.2)).toBe(-0.7e6);
  });

  it('counts the spans of a log once if two inputs contain it', () => {
    const log = (input: string) =>
      evidence({
        kind: 'cloud-init-log',
        input,
        clock: 'wall',
        anchors: [anchor()],
        spans: [wallSpan('cloud-init:x', 1, 2)],
      });
    const [boot] = merge(log('a/cloud-init.log'), log('b/cloud-init.log'));
    expect(boot!.spans).toMatchObject([{ id: 'cloud-init:x' }]);
  });

  it("takes kubelet's steps from its log, and from its metrics only without a log", () => {
    const step = (startUs: number) => ({
      ...{ id: 'kubelet:start', name: 'kubelet start', source: 'kubelet' as const },
      ...{ startUs, endUs: startUs + 1e6 },
    });
    const metrics = evidence({ kind: 'kubelet-metrics', input: 'm', clock: 'monotonic', spans: [step(5e6)] });
    const log = evidence({ kind: 'journal-json', input: 'j', clock: 'monotonic', spans: [step(5.4e6)] });
    expect(merge(metrics)[0]!.spans).toMatchObject([{ startUs: 5e6 }]);
    expect(merge(metrics, log)[0]!.spans).toMatchObject([{ startUs: 5.4e6 }]);
  });

  it("drops the notes about what banners do not tell if cloud-init's log is there", () => {
    const note = { level: 'warning' as const, text: 'not when they ended' };
    const banners = evidence({ kind: 'cloud-init-output', input: 'o', clock: 'monotonic', notes: [note] });
    const log = evidence({
      ...{ kind: 'cloud-init-log', input: 'c', clock: 'wall' },
      ...{ anchors: [anchor()], spans: [wallSpan('cloud-init:x', 1, 2)] },
    });
    expect(merge(banners)[0]!.notes).toEqual([note]);
    expect(merge(banners, log)[0]!.notes).toEqual([]);
  });

  it('drops notes about the units of a log if a complete listing provides the units', () => {
    const note = { level: 'warning' as const, text: 'exact to 1 s' };
    const units = [unit('a.service', 2, 1)];
    const log = evidence({ kind: 'journal-text', input: 'j', clock: 'monotonic', units, unitNotes: [note] });
    const listing = evidence({ kind: 'systemctl-units', input: 'u', clock: 'monotonic', units });
    expect(merge(log)[0]!.notes).toEqual([note]);
    expect(merge(log, listing)[0]!.notes).toEqual([]);
  });

  it('keeps boots with different names apart', () => {
    const named = (name: string) => evidence({ kind: 'dmesg', input: 'd', clock: 'monotonic', name, spans: [] });
    expect(merge(named('line 1'), named('line 9'), named('line 1')).map(({ name }) => name)).toEqual([
      'line 1',
      'line 9',
    ]);
  });

  it('omits times that cannot be related to the kernel clock, with a note', () => {
    const [boot] = merge(
      evidence({ kind: 'systemctl-units', input: 'u', clock: 'monotonic', units: [unit('a.service', 3, 1)] }),
      evidence({ kind: 'cloud-init-log', input: 'the log', clock: 'wall', spans: [wallSpan('cloud-init:x', 1, 2)] }),
    );
    expect(boot!.spans).toEqual([]);
    expect(boot!.notes).toMatchObject([{ level: 'warning', text: expect.stringContaining('the log') }]);
    expect(boot!.notes[0]!.text).toContain('left out');
  });

  it('keeps the spans of one source if two sources report the same thing', () => {
    const [boot] = merge(
      evidence({
        kind: 'kvp',
        input: 'k',
        clock: 'wall',
        anchors: [anchor()],
        spans: [wallSpan('cloud-init:x', 5, 6)],
      }),
      evidence({ kind: 'cloud-init-log', input: 'c', clock: 'wall', spans: [wallSpan('cloud-init:x', 5, 6)] }),
    );
    expect(boot!.spans).toHaveLength(1);
    expect(boot!.sources).toHaveLength(2);
  });

  it('edge case 49: notes a jump of the wall clock and aligns both sides', () => {
    const pausedUs = 600e6;
    const [boot] = merge(
      evidence({
        kind: 'journal-json',
        input: 'j',
        clock: 'monotonic',
        bootId: BOOT,
        anchors: [anchor(), { monotonicUs: 20e6, wallUs: WALL + 20e6 + pausedUs, errorUs: 0 }],
        units: [unit('a.service', 1, 1)],
      }),
      evidence({
        kind: 'extension-event',
        input: 'e',
        clock: 'wall',
        spans: [wallSpan('extension:before', 5, 6), wallSpan('extension:after', 630, 631)],
      }),
    );
    expect(boot!.spans.map((s) => s.startUs)).toEqual([5e6, 30e6]);
    expect(boot!.notes.some((note) => note.text.includes('jumped by 10min'))).toBe(true);
  });
});

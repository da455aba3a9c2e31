import { describe, expect, it } from 'vitest';
import { managerTimes, span, unit } from '../testing.ts';
import { type Evidence, evidence } from './evidence.ts';
import { mergeEvidence } from './merge-evidence.ts';

const WALL = 1_794_776_878_000_000;
const BOOT = 'a'.repeat(32);
const OTHER = 'b'.repeat(32);
const anchor = (wallAtZeroUs = WALL, errorUs = 0) => ({ monotonicUs: 1e6, wallUs: wallAtZeroUs + 1e6, errorUs });
const wallSpan = (id: string, startS: number, endS: number) => {
  const moved = span(id, startS, endS);
  return { ...moved, startUs: moved.startUs + WALL, endUs: moved.endUs + WALL };
};
const merge = (...pieces: Evidence[]) => mergeEvidence([{ isFolder: true, evidence: pieces }]);

describe('merging evidence of one boot', () => {
  it('brings wall-clock logs onto the kernel clock where an anchor ties the two', () => {
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

  it('leaves out what nothing ties to the kernel clock, and says so', () => {
    const [boot] = merge(
      evidence({ kind: 'systemctl-units', input: 'u', clock: 'monotonic', units: [unit('a.service', 3, 1)] }),
      evidence({ kind: 'cloud-init-log', input: 'the log', clock: 'wall', spans: [wallSpan('cloud-init:x', 1, 2)] }),
    );
    expect(boot!.spans).toEqual([]);
    expect(boot!.notes).toMatchObject([{ level: 'warning', text: expect.stringContaining('the log') }]);
    expect(boot!.notes[0]!.text).toContain('left out');
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

  it('keeps boots with different ids apart and gives a log without id to the boot it happened in', () => {
    const later = WALL + 3_600e6;
    const boots = merge(
      evidence({
        kind: 'journal-json',
        input: 'j',
        clock: 'monotonic',
        bootId: OTHER,
        anchors: [anchor(later)],
        units: [unit('b.service', 1, 1)],
      }),
      evidence({
        kind: 'journal-json',
        input: 'j',
        clock: 'monotonic',
        bootId: BOOT,
        anchors: [anchor()],
        units: [unit('a.service', 1, 1)],
      }),
      evidence({ kind: 'cloud-init-log', input: 'c', clock: 'wall', spans: [wallSpan('cloud-init:x', 5, 6)] }),
    );
    expect(boots.map((boot) => boot.bootId)).toEqual([BOOT, OTHER]);
    expect(boots.map((boot) => boot.spans.length)).toEqual([1, 0]);
  });

  it('keeps two folders without any identity apart, and merges loose files', () => {
    const units = () =>
      evidence({ kind: 'systemctl-units', input: 'u', clock: 'monotonic', units: [unit('a.service', 1, 1)] });
    const manager = () =>
      evidence({ kind: 'systemctl-manager', input: 'm', clock: 'monotonic', manager: managerTimes() });
    expect(
      mergeEvidence([
        { isFolder: true, evidence: [units(), manager()] },
        { isFolder: true, evidence: [units(), manager()] },
      ]),
    ).toHaveLength(2);
    expect(mergeEvidence([{ isFolder: false, evidence: [units(), manager()] }])).toHaveLength(1);
  });

  it('lets the listing that saw most units start be the order of the units', () => {
    const [boot] = merge(
      evidence({
        kind: 'systemctl-units',
        input: '1',
        clock: 'monotonic',
        units: [unit('b.service', 0, 0), unit('a.service', 1, 1)],
      }),
      evidence({
        kind: 'systemctl-units',
        input: '2',
        clock: 'monotonic',
        units: [unit('a.service', 1, 1, ['b.service']), unit('c.service', 2, 1)],
      }),
    );
    expect(boot!.units.map((u) => u.name)).toEqual(['a.service', 'c.service', 'b.service']);
    expect(boot!.units[0]!.after).toEqual(['b.service']);
  });

  it('does not top up what the manager itself lists: a unit only the journal saw is a span', () => {
    const [boot] = merge(
      evidence({ kind: 'systemctl-units', input: 'u', clock: 'monotonic', units: [unit('a.service', 1, 1)] }),
      evidence({
        kind: 'journal-json',
        input: 'j',
        clock: 'monotonic',
        units: [unit('a.service', 1, 1), unit('gone.service', 4, 1)],
      }),
    );
    expect(boot!.units.map((u) => u.name)).toEqual(['a.service']);
    expect(boot!.spans).toMatchObject([{ id: 'systemd:gone.service', startUs: 4e6, endUs: 5e6 }]);
  });

  it('tells a story once when two sources tell it', () => {
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

  it('edge case 49: a wall clock that jumped is noted, and both sides are aligned', () => {
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

  it('leaves a listing without any identity with its own folder, not with a loose log of another boot', () => {
    const manager = (input: string, wallUs: number) =>
      evidence({
        kind: 'systemctl-manager',
        input,
        clock: 'monotonic',
        anchors: [anchor(wallUs)],
        manager: managerTimes(),
      });
    const dmesg = evidence({ kind: 'dmesg', input: 'd', clock: 'monotonic', spans: [span('kernel:until-init', 0, 4)] });
    const boots = mergeEvidence([
      { isFolder: true, evidence: [manager('folder', WALL), dmesg] },
      { isFolder: false, evidence: [manager('loose', WALL - 3_600e6)] },
    ]);
    expect(boots.map((boot) => boot.sources.map(({ input }) => input))).toEqual([['loose'], ['folder', 'd']]);
    const [, folder] = mergeEvidence([
      { isFolder: false, evidence: [manager('loose', WALL - 3_600e6)] },
      { isFolder: true, evidence: [manager('folder', WALL), dmesg] },
    ]);
    expect(folder!.sources.map(({ input }) => input)).toEqual(['folder', 'd']);
  });

  it('keeps listings that contradict each other apart although nothing names their boots', () => {
    const pasted = (input: string, finishUs: number) =>
      evidence({ kind: 'analyze-time', input, clock: 'monotonic', manager: managerTimes({ finishUs }) });
    const boots = mergeEvidence([
      { isFolder: false, evidence: [pasted('a', 104e6), pasted('b', 51e6), pasted('c', 104e6)] },
    ]);
    expect(boots.map((boot) => boot.sources.map(({ input }) => input))).toEqual([['a', 'c'], ['b']]);
  });

  it('keeps two boots of one recorded instant apart when their managers disagree', () => {
    const model = (input: string, finishUs: number) =>
      evidence({
        kind: 'systemctl-manager',
        input,
        clock: 'monotonic',
        anchors: [anchor()],
        manager: managerTimes({ finishUs }),
      });
    const boots = mergeEvidence([
      { isFolder: true, evidence: [model('r00', 20e6)] },
      { isFolder: true, evidence: [model('r03', 33e6)] },
    ]);
    expect(boots).toHaveLength(2);
  });

  it('gives what tells no boot to the newest that the same collection tells of: a log may go back to one before', () => {
    const boots = merge(
      evidence({ kind: 'dmesg', input: 'c/dmesg.txt', clock: 'monotonic' }),
      evidence({
        kind: 'cloud-init-log',
        input: 'c/var/log/cloud-init.log',
        clock: 'wall',
        anchors: [anchor(WALL - 3_600e6)],
        spans: [wallSpan('cloud-init:x', 5 - 3600, 6 - 3600)],
      }),
      evidence({ kind: 'systemctl-manager', input: 'c/m', clock: 'monotonic', bootId: BOOT, anchors: [anchor()] }),
    );
    expect(boots.map((boot) => boot.sources.map(({ kind }) => kind))).toEqual([
      ['cloud-init-log'],
      ['systemctl-manager', 'dmesg'],
    ]);
  });

  it('gives a listing without any identity to the boot whose files lie in the same folder', () => {
    const manager = (input: string, wallUs: number) =>
      evidence({
        kind: 'systemctl-manager',
        input,
        clock: 'monotonic',
        anchors: [anchor(wallUs)],
        manager: managerTimes(),
      });
    const units = (input: string) =>
      evidence({ kind: 'systemctl-units', input, clock: 'monotonic', units: [unit('a.service', 3, 1)] });
    const boots = merge(
      units('two/one/u'),
      units('two/other/u'),
      manager('two/one/m', WALL),
      manager('two/other/m', WALL - 3_600e6),
    );
    expect(boots.map((boot) => boot.sources.map(({ input }) => input))).toEqual([
      ['two/other/m', 'two/other/u'],
      ['two/one/m', 'two/one/u'],
    ]);
  });

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

  it('tells the way from registered to Ready once when both the kubelet and the cluster do', () => {
    const [boot] = merge(
      evidence({
        kind: 'journal-json',
        input: 'j',
        clock: 'monotonic',
        anchors: [anchor()],
        spans: [span('kubelet:become-ready', 56.4, 66.2)],
      }),
      evidence({
        kind: 'kubernetes-node',
        input: 'n',
        clock: 'wall',
        spans: [wallSpan('cluster:become-ready', 56, 66)],
      }),
    );
    expect(boot!.spans.map(({ id }) => id)).toEqual(['kubelet:become-ready']);
  });
});

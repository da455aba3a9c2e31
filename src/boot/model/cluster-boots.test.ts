import { describe, expect, it } from 'vitest';
import { managerTimes, span, unit } from '../testing.ts';
import { clusterBoots, timesOf } from './cluster-boots.ts';
import { type Evidence, evidence } from './evidence.ts';
import { anchor, WALL, wallSpan } from './testing.ts';

const BOOT = 'a'.repeat(32);
const OTHER = 'b'.repeat(32);
const together = (...pieces: Evidence[]) => clusterBoots([{ isFolder: true, evidence: pieces }]);

describe('clusterBoots', () => {
  it('joins a log whose kernel start is inexact with one whose start lies in that range, unless both are of one log', () => {
    const piece = (input: string, wallUs: number, errorUs: number) =>
      evidence({
        kind: 'journal-text',
        input,
        clock: 'wall',
        anchors: [{ monotonicUs: 0, wallUs, errorUs }],
        milestones: [{ name: 'cloud-init-started', atUs: wallUs + 70e6, source: 'cloud-init' }],
      });
    const exact = piece('syslog', WALL + 48e6, 1e6);
    expect(together(piece('kern.log', WALL, 60e6), exact)).toHaveLength(1);
    expect(together(piece('kern.log', WALL + 3600e6, 60e6), exact)).toHaveLength(2);
    expect(together(piece('syslog', WALL, 60e6), exact)).toHaveLength(2);
  });

  it('separates boots with different ids, and assigns a log without an id to the boot it was written in', () => {
    const later = WALL + 3_600e6;
    const boots = together(
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
    expect(boots.map((boot) => boot.evidence.flatMap(({ spans }) => spans).length)).toEqual([1, 0]);
  });

  it('separates 20,000 boots of one log without comparing each with each', () => {
    const log = Array.from({ length: 20_000 }, (_, i) =>
      evidence({ kind: 'journal-text', input: 'j', clock: 'wall', anchors: [anchor(WALL + i * 60e6)] }),
    );
    expect(together(...log)).toHaveLength(20_000);
  });

  it('separates two folders without boot ids or times, and merges single files', () => {
    const units = () =>
      evidence({ kind: 'systemctl-units', input: 'u', clock: 'monotonic', units: [unit('a.service', 1, 1)] });
    const manager = () =>
      evidence({ kind: 'systemctl-manager', input: 'm', clock: 'monotonic', manager: managerTimes() });
    expect(
      clusterBoots([
        { isFolder: true, evidence: [units(), manager()] },
        { isFolder: true, evidence: [units(), manager()] },
      ]),
    ).toHaveLength(2);
    expect(clusterBoots([{ isFolder: false, evidence: [units(), manager()] }])).toHaveLength(1);
  });

  it('keeps a listing without boot id and times with its own folder, not with a single log of another boot', () => {
    const manager = (input: string, wallUs: number) =>
      evidence({
        kind: 'systemctl-manager',
        input,
        clock: 'monotonic',
        anchors: [anchor(wallUs)],
        manager: managerTimes(),
      });
    const dmesg = evidence({ kind: 'dmesg', input: 'd', clock: 'monotonic', spans: [span('kernel:until-init', 0, 4)] });
    const boots = clusterBoots([
      { isFolder: true, evidence: [manager('folder', WALL), dmesg] },
      { isFolder: false, evidence: [manager('loose', WALL - 3_600e6)] },
    ]);
    expect(boots.map((boot) => boot.evidence.map(({ input }) => input))).toEqual([['loose'], ['folder', 'd']]);
    const [, folder] = clusterBoots([
      { isFolder: false, evidence: [manager('loose', WALL - 3_600e6)] },
      { isFolder: true, evidence: [manager('folder', WALL), dmesg] },
    ]);
    expect(folder!.evidence.map(({ input }) => input)).toEqual(['folder', 'd']);
  });

  it('separates listings without boot ids that contradict each other', () => {
    const pasted = (input: string, finishUs: number) =>
      evidence({ kind: 'analyze-time', input, clock: 'monotonic', manager: managerTimes({ finishUs }) });
    const boots = clusterBoots([
      { isFolder: false, evidence: [pasted('a', 104e6), pasted('b', 51e6), pasted('c', 104e6)] },
    ]);
    expect(boots.map((boot) => boot.evidence.map(({ input }) => input))).toEqual([['a', 'c'], ['b']]);
  });

  it('separates two boots with the same start time if their manager times differ', () => {
    const model = (input: string, finishUs: number) =>
      evidence({
        kind: 'systemctl-manager',
        input,
        clock: 'monotonic',
        anchors: [anchor()],
        manager: managerTimes({ finishUs }),
      });
    const boots = clusterBoots([
      { isFolder: true, evidence: [model('r00', 20e6)] },
      { isFolder: true, evidence: [model('r03', 33e6)] },
    ]);
    expect(boots).toHaveLength(2);
  });

  it('assigns evidence without a boot to the newest boot of its collection, although a log there reaches further back', () => {
    const boots = together(
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
    expect(boots.map((boot) => boot.evidence.map(({ kind }) => kind))).toEqual([
      ['cloud-init-log'],
      ['systemctl-manager', 'dmesg'],
    ]);
  });

  it('assigns a listing without boot id and times to the boot with files in the same folder', () => {
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
    const boots = together(
      units('two/one/u'),
      units('two/other/u'),
      manager('two/one/m', WALL),
      manager('two/other/m', WALL - 3_600e6),
    );
    expect(boots.map((boot) => boot.evidence.map(({ input }) => input))).toEqual([
      ['two/other/m', 'two/other/u'],
      ['two/one/m', 'two/one/u'],
    ]);
  });

  it('separates logs with wall times that are further apart than any boot takes', () => {
    const log = (input: string, atS: number) =>
      evidence({ kind: 'extension-event', input, clock: 'wall', spans: [wallSpan('extension:a', atS, atS + 1)] });
    expect(together(log('a', 0), log('b', 3_600))).toHaveLength(1);
    expect(together(log('a', 0), log('b', 7 * 3_600))).toHaveLength(2);
  });
});

describe('timesOf', () => {
  it('returns the first and last time of units, spans and milestones', () => {
    const piece = evidence({
      kind: 'journal-json',
      input: 'j',
      clock: 'monotonic',
      units: [unit('a.service', 2, 9), unit('never.service', 0, 0)],
      spans: [span('kernel:until-init', 3, 4)],
      milestones: [{ name: 'node-ready', atUs: 30e6, source: 'kubelet' }],
    });
    // 1 µs before the unit: its stamp must not become 0, which means never.
    expect(timesOf(piece)).toEqual({ firstUs: 2e6 - 1, lastUs: 30e6 });
  });

  it('returns first > last if there are no times', () => {
    const { firstUs, lastUs } = timesOf(evidence({ kind: 'dmesg', input: 'd', clock: 'monotonic' }));
    expect(firstUs).toBeGreaterThan(lastUs);
  });
});

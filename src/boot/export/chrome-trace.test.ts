import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BootRecord } from '../model/record.ts';
import { anyRecord, bootRecord, span } from '../testing.ts';
import { chromeTrace, type TraceEvent } from './chrome-trace.ts';
import { BOOT_ID, boot } from './testing.ts';

describe('chromeTrace', () => {
  it('names processes and threads, and starts at zero even with firmware and VM creation before the kernel', () => {
    const { traceEvents, otherData } = chromeTrace(boot());
    const processes = traceEvents.filter((e) => e.name === 'process_name').map((e) => e.args?.name);
    expect(processes).toEqual(['boot', 'systemd', 'cloud-init']);
    expect(traceEvents.find((e) => e.name === 'vm-created')).toMatchObject({ ph: 'i', ts: 0, s: 'g' });
    expect(traceEvents.find((e) => e.name === 'net.service')).toMatchObject({
      ph: 'X',
      ts: 23_000_000,
      dur: 2_000_000,
    });
    expect(otherData).toMatchObject({
      bootId: BOOT_ID,
      zeroAtUs: '20000000',
      startedAt: '2023-11-14T22:12:60.000Z'.replace('12:60', '13:00'),
    });
  });

  it('puts a child into the lane of its parent, and a child that overlaps a sibling into another lane', () => {
    const at = (name: string) => chromeTrace(boot()).traceEvents.find((e) => e.ph === 'X' && e.name === name)!.tid;
    expect(at('stage/a')).toBe(at('stage'));
    expect(at('stage/b')).not.toBe(at('stage'));
  });

  it('never lets spans of one lane overlap unless one contains the other, for any boot', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const slices = chromeTrace(record).traceEvents.filter((e) => e.ph === 'X');
        for (const lane of Map.groupBy(slices, (e) => `${e.pid}/${e.tid}`).values()) {
          for (const [i, a] of lane.entries()) for (const b of lane.slice(i + 1)) expect(isTidy(a, b)).toBe(true);
        }
        for (const event of slices) expect(event.ts! >= 0 && event.dur! >= 0).toBe(true);
      }),
    );
  });

  it('marks spans on the critical path, and shows the path as a track that adds up to the total', () => {
    const { traceEvents } = chromeTrace(boot());
    const marked = traceEvents.filter((e) => e.args?.critical === 'yes');
    expect(marked.map((e) => e.name)).toEqual([
      'firmware',
      'loader',
      'kernel',
      '-.slice',
      'net.service',
      'app.service',
      'multi-user.target',
    ]);
    expect(marked.every((e) => e.cat!.endsWith(',critical'))).toBe(true);
    const track = traceEvents.find(
      (e) => e.name === 'thread_name' && String(e.args?.name).startsWith('critical path'),
    )!;
    const segments = traceEvents.filter((e) => e.ph === 'X' && e.pid === track.pid && e.tid === track.tid);
    expect(segments.reduce((sum, e) => sum + e.dur!, 0)).toBe(29e6);
  });

  it('connects spans of the path with arrows whose ends are inside them, for any boot', () => {
    const arrows = (record: BootRecord) =>
      Map.groupBy(
        chromeTrace(record).traceEvents.filter((e) => e.ph === 's' || e.ph === 'f'),
        (e) => e.id,
      );
    expect([...arrows(boot()).values()].map((ends) => ends.map(({ ph, ts }) => [ph, ts]))).toEqual([
      [
        ['s', 24_999_999],
        ['f', 25_000_000],
      ],
    ]);
    fc.assert(
      fc.property(anyRecord, (record) => {
        const slices = chromeTrace(record).traceEvents.filter((e) => e.ph === 'X');
        for (const ends of arrows(record).values()) {
          expect(ends.map((e) => e.ph)).toEqual(['s', 'f']);
          expect(ends[0]!.ts!).toBeLessThanOrEqual(ends[1]!.ts!);
          for (const { pid, tid, ts } of ends) {
            const around = slices.filter((e) => e.pid === pid && e.tid === tid && e.ts! <= ts! && ts! < e.ts! + e.dur!);
            expect(around.some((e) => e.args?.critical === 'yes')).toBe(true);
          }
        }
      }),
    );
  });

  it('edge case 50: lays out 50,000 overlapping spans without comparing all pairs', () => {
    const spans = Array.from({ length: 50_000 }, (_, i) => span(`kubelet:${i}`, i / 1000, 60 + i / 1000));
    const lanes = new Set(
      chromeTrace(bootRecord({ spans }))
        .traceEvents.filter((e) => e.ph === 'X' && e.pid > 1)
        .map((e) => e.tid),
    );
    expect(lanes.size).toBe(50_000);
  });
});

function isTidy(a: TraceEvent, b: TraceEvent): boolean {
  const [aEnd, bEnd] = [a.ts! + a.dur!, b.ts! + b.dur!];
  const areApart = aEnd <= b.ts! || bEnd <= a.ts!;
  const isNested = (a.ts! <= b.ts! && bEnd <= aEnd) || (b.ts! <= a.ts! && aEnd <= bEnd);
  return areApart || isNested;
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import type { BootRecord } from '../model/record.ts';
import { anyRecord, bootRecord, managerTimes, span, unit } from '../testing.ts';
import { chromeTrace, type TraceEvent } from './chrome-trace.ts';
import { csv } from './csv.ts';
import { otlpTrace } from './otlp.ts';

const BOOT_ID = '0123456789abcdef0123456789abcdef';

function boot(more: Partial<BootRecord> = {}): BootRecord {
  return bootRecord({
    bootId: BOOT_ID,
    host: {
      hostname: 'node-1',
      vmId: 'vm-1',
      architecture: 'x86-64',
      cloud: 'azure',
      nodeName: 'node-1',
      os: 'Debian 12',
    },
    clock: { zero: 'kernel', wallAtZeroUs: 1_700_000_000_000_001 },
    manager: managerTimes({ userspaceUs: 2_000_000, finishUs: 9_000_000, firmwareUs: 3_000_000, loaderUs: 1_000_000 }),
    units: [
      unit('-.slice', 2.5, 0),
      unit('net.service', 3, 2, ['-.slice']),
      unit('app.service', 5, 3, ['net.service'], { activeState: 'failed', description: '=HYPERLINK("x")' }),
      unit('multi-user.target', 8.5, 0, ['app.service']),
    ],
    spans: [
      span('cloud-init:stage', 5, 8, { unit: 'app.service' }),
      span('cloud-init:stage/a', 5, 6, { parent: 'cloud-init:stage' }),
      span('cloud-init:stage/b', 5.5, 7, {
        parent: 'cloud-init:stage',
        result: 'warn',
        detail: 'two\nlines, "quoted"',
      }),
    ],
    milestones: [{ name: 'vm-created', atUs: -20_000_000, source: 'platform' }],
    ...more,
  });
}

describe('OTLP', () => {
  const spansOf = (record: BootRecord) => otlpTrace(record).resourceSpans[0]!.scopeSpans[0]!.spans;

  it('makes one trace whose id is the boot id, rooted in one span that covers everything', () => {
    const spans = spansOf(boot());
    expect(new Set(spans.map((s) => s.traceId))).toEqual(new Set([BOOT_ID]));
    const roots = spans.filter((s) => s.parentSpanId === undefined);
    expect(roots.map((s) => s.name)).toEqual(['boot node-1']);
    expect(roots[0]!.startTimeUnixNano).toBe('1699999980000001000');
    expect(roots[0]!.events?.map((e) => e.name)).toContain('vm-created');
  });

  it('hangs modules under their stage, the stage under its unit, and units under the root', () => {
    const spans = spansOf(boot());
    const byName = new Map(spans.map((s) => [s.name, s]));
    expect(byName.get('stage/a')!.parentSpanId).toBe(byName.get('stage')!.spanId);
    expect(byName.get('stage')!.parentSpanId).toBe(byName.get('app.service')!.spanId);
    expect(byName.get('net.service')!.parentSpanId).toBe(spans[0]!.spanId);
    expect(byName.get('app.service')!.status).toMatchObject({ code: 2 });
    expect(byName.get('net.service')!.startTimeUnixNano).toBe('1700000003000001000');
  });

  it('links each span of the critical chain to the one it waited for', () => {
    const byName = new Map(spansOf(boot()).map((s) => [s.name, s]));
    expect(byName.get('app.service')!.links).toMatchObject([
      { traceId: BOOT_ID, spanId: byName.get('net.service')!.spanId },
    ]);
    expect(byName.get('-.slice')).not.toHaveProperty('links');
  });

  it('names the host in OpenTelemetry words', () => {
    const attributes = new Map(
      otlpTrace(boot()).resourceSpans[0]!.resource.attributes.map(({ key, value }) => [key, value]),
    );
    expect(attributes.get('service.name')).toEqual({ stringValue: 'headstart.boot' });
    expect(attributes.get('host.id')).toEqual({ stringValue: 'vm-1' });
    expect(attributes.get('host.arch')).toEqual({ stringValue: 'amd64' });
    expect(attributes.get('cloud.provider')).toEqual({ stringValue: 'azure' });
    expect(attributes.get('k8s.node.name')).toEqual({ stringValue: 'node-1' });
  });

  it('derives a trace id when there is no boot id, the same every time', () => {
    const { bootId: _, ...nameless } = boot();
    const [first, second] = [spansOf(nameless)[0]!, spansOf(nameless)[0]!];
    expect(first.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toEqual(first);
    expect(spansOf(boot({ bootId: '0'.repeat(32) }))[0]!.traceId).not.toBe('0'.repeat(32));
  });

  it('says what to add when no source knows the wall clock', () => {
    expect(() => otlpTrace(boot({ clock: { zero: 'kernel' } }))).toThrow(UserError);
  });

  it('is a tree of distinct spans inside valid times, for any boot', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const spans = spansOf({ ...record, clock: { ...record.clock, wallAtZeroUs: 1_700_000_000_000_000 } });
        const byId = new Map(spans.map((s) => [s.spanId, s]));
        expect(byId.size).toBe(spans.length);
        for (const s of spans) {
          expect(s.spanId).toMatch(/^[0-9a-f]{16}$/);
          expect(BigInt(s.endTimeUnixNano) >= BigInt(s.startTimeUnixNano)).toBe(true);
          let steps = 0;
          for (let at: typeof s | undefined = s; at?.parentSpanId !== undefined; at = byId.get(at.parentSpanId)) {
            expect(byId.has(at.parentSpanId)).toBe(true);
            expect(steps++).toBeLessThan(spans.length);
          }
        }
      }),
    );
  });
});

describe('chrome trace', () => {
  it('names processes and threads, and starts at zero though firmware and VM creation came before the kernel', () => {
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

  it('puts a child in the lane of its parent, and one that overlaps a brother in another', () => {
    const at = (name: string) => chromeTrace(boot()).traceEvents.find((e) => e.ph === 'X' && e.name === name)!.tid;
    expect(at('stage/a')).toBe(at('stage'));
    expect(at('stage/b')).not.toBe(at('stage'));
  });

  it('never lets slices of one lane overlap without one containing the other, for any boot', () => {
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

  it('edge case 50: lays out 50,000 overlapping spans without comparing each with each', () => {
    const spans = Array.from({ length: 50_000 }, (_, i) => span(`kubelet:${i}`, i / 1000, 60 + i / 1000));
    const lanes = new Set(
      chromeTrace(bootRecord({ spans }))
        .traceEvents.filter((e) => e.ph === 'X')
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

describe('CSV', () => {
  it('quotes what needs it, keeps formulas from running, and gives wall time to the microsecond', () => {
    const lines = csv(boot()).split('\r\n');
    expect(lines[0]).toBe('id,name,source,parent,unit,start_us,end_us,took_us,start_utc,wait,result,detail');
    expect(lines[1]).toBe(
      "systemd:-.slice,'-.slice,systemd,,'-.slice,2500000,2500000,0,2023-11-14T22:13:22.500001Z,,,",
    );
    expect(csv(boot())).toContain(`,fail,"'=HYPERLINK(""x"")"\r\n`);
    expect(csv(boot())).toContain(',"two\nlines, ""quoted"""\r\n');
  });

  it('reads back as the same number of cells in every row, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', '=', 'a', '-') }), { maxLength: 6 }),
        (texts) => {
          const spans = texts.map((detail, i) => span(`kubelet:${i}`, 1, 2, { detail, name: detail }));
          const rows = parseCsv(csv(bootRecord({ spans })));
          expect(rows.map((row) => row.length)).toEqual(Array(texts.length + 1).fill(12));
          for (const [i, detail] of texts.entries()) expect(rows[i + 1]![11]!.replace(/^'/, '')).toBe(detail);
        },
      ),
    );
  });
});

/** A reader of RFC 4180, to hold the writer against. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  const row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    if (end !== ',') rows.push(row.splice(0));
  }
  return rows;
}

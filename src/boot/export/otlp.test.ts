import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import type { BootRecord } from '../model/record.ts';
import { anyRecord, span } from '../testing.ts';
import { otlpTrace } from './otlp.ts';
import { BOOT_ID, boot } from './testing.ts';

describe('otlpTrace', () => {
  const spansOf = (record: BootRecord) => otlpTrace(record).resourceSpans[0]!.scopeSpans[0]!.spans;

  it('creates one trace with the boot id as its id and one root span from the first instant on', () => {
    const spans = spansOf(boot());
    expect(new Set(spans.map((s) => s.traceId))).toEqual(new Set([BOOT_ID]));
    const roots = spans.filter((s) => s.parentSpanId === undefined);
    expect(roots.map((s) => s.name)).toEqual(['boot node-1']);
    expect(roots[0]!.startTimeUnixNano).toBe('1699999980000001000');
    expect(roots[0]!.events?.map((e) => e.name)).toContain('vm-created');
  });

  it('ends the root span at Ready, whatever happens later', () => {
    const ready = { name: 'node-ready' as const, atUs: 30e6, source: 'cluster' as const };
    const record = boot({ milestones: [ready], spans: [span('kubelet:restart', 300, 301)] });
    const [root, ...others] = spansOf(record);
    expect(root!.endTimeUnixNano).toBe('1700000030000001000');
    expect(root!.attributes).toContainEqual({
      key: 'headstart.boot.ends_at',
      value: { stringValue: 'node-ready' },
    });
    expect(others.find((s) => s.name === 'restart')!.parentSpanId).toBe(root!.spanId);
  });

  it('puts modules under their stage, the stage under its unit, and units under the root', () => {
    const spans = spansOf(boot());
    const byName = new Map(spans.map((s) => [s.name, s]));
    expect(byName.get('stage/a')!.parentSpanId).toBe(byName.get('stage')!.spanId);
    expect(byName.get('stage')!.parentSpanId).toBe(byName.get('app.service')!.spanId);
    expect(byName.get('net.service')!.parentSpanId).toBe(spans[0]!.spanId);
    expect(byName.get('app.service')!.status).toMatchObject({ code: 2 });
    expect(byName.get('net.service')!.startTimeUnixNano).toBe('1700000003000001000');
  });

  it('links each span of the critical chain to the span it waited for', () => {
    const byName = new Map(spansOf(boot()).map((s) => [s.name, s]));
    expect(byName.get('app.service')!.links).toMatchObject([
      { traceId: BOOT_ID, spanId: byName.get('net.service')!.spanId },
    ]);
    expect(byName.get('-.slice')).not.toHaveProperty('links');
  });

  it('describes the host with OpenTelemetry attributes', () => {
    const attributes = new Map(
      otlpTrace(boot()).resourceSpans[0]!.resource.attributes.map(({ key, value }) => [key, value]),
    );
    expect(attributes.get('service.name')).toEqual({ stringValue: 'headstart.boot' });
    expect(attributes.get('host.id')).toEqual({ stringValue: 'vm-1' });
    expect(attributes.get('host.arch')).toEqual({ stringValue: 'amd64' });
    expect(attributes.get('cloud.provider')).toEqual({ stringValue: 'azure' });
    expect(attributes.get('k8s.node.name')).toEqual({ stringValue: 'node-1' });
  });

  it('derives a stable trace id if there is no boot id', () => {
    const { bootId: _, ...nameless } = boot();
    const [first, second] = [spansOf(nameless)[0]!, spansOf(nameless)[0]!];
    expect(first.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toEqual(first);
    expect(spansOf(boot({ bootId: '0'.repeat(32) }))[0]!.traceId).not.toBe('0'.repeat(32));
  });

  it('suggests which input to add if no source has the wall clock', () => {
    expect(() => otlpTrace(boot({ clock: { zero: 'kernel' } }))).toThrow(UserError);
  });

  it('is a tree of distinct spans with valid times, for any boot', () => {
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

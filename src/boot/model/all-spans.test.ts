import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRecord, bootRecord, span, unit } from '../testing.ts';
import { everySpan, spanForest } from './all-spans.ts';

const parentsOf = (record: Parameters<typeof everySpan>[0]) =>
  Object.fromEntries(everySpan(record).map(({ id, parent }) => [id, parent]));

describe('everySpan', () => {
  it('puts a cloud-init stage under its unit, but not work that a unit did after it became active', () => {
    const record = bootRecord({
      units: [unit('cloud-final.service', 8, 10), unit('kubelet.service', 19, 0.1)],
      spans: [
        span('cloud-init:modules-final', 9, 18, { unit: 'cloud-final.service' }),
        span('kubelet:register', 19, 25, { unit: 'kubelet.service' }),
        span('cloud-init:other', 9, 10, { unit: 'absent.service' }),
      ],
    });
    expect(parentsOf(record)).toMatchObject({
      'cloud-init:modules-final': 'systemd:cloud-final.service',
      'kubelet:register': undefined,
      'cloud-init:other': undefined,
    });
  });

  it('allows for the clock error when it searches for the unit around a span', () => {
    const record = (errorUs: number) =>
      bootRecord({
        clock: { zero: 'kernel', errorUs },
        units: [unit('cloud-config.service', 8, 1)],
        spans: [span('cloud-init:modules-config', 8.8, 9.8, { unit: 'cloud-config.service' })],
      });
    expect(parentsOf(record(0))['cloud-init:modules-config']).toBeUndefined();
    expect(parentsOf(record(1e6))['cloud-init:modules-config']).toBe('systemd:cloud-config.service');
  });

  it('puts AKS tasks under the event that covers the whole script, but not waits or tasks outside it', () => {
    const record = bootRecord({
      spans: [
        span('extension:AKS.CSE.cse_start', 10, 20),
        span('extension:AKS.CSE.installDeps', 11, 15),
        span('extension:AKS.Runtime.wait', 12, 14, { wait: 'for the API server' }),
        span('extension:AKS.CSE.late', 19, 22),
      ],
    });
    expect(parentsOf(record)).toEqual({
      'extension:AKS.CSE.cse_start': undefined,
      'extension:AKS.CSE.installDeps': 'extension:AKS.CSE.cse_start',
      'extension:AKS.Runtime.wait': undefined,
      'extension:AKS.CSE.late': undefined,
    });
  });

  it('does not mark a unit as a wait if its log shows which part of it waited', () => {
    const unitOf = (record: Parameters<typeof everySpan>[0]) => everySpan(record)[0]!;
    const units = [unit('cloud-init-local.service', 3, 1000)];
    expect(unitOf(bootRecord({ units })).wait).toContain('platform');
    const spans = [
      span('cloud-init:init-local', 4, 1002, { unit: 'cloud-init-local.service' }),
      span('cloud-init:azure-ds/_poll_imds', 5, 1000, { parent: 'cloud-init:init-local', wait: 'platform: parked' }),
    ];
    expect(unitOf(bootRecord({ units, spans }))).not.toHaveProperty('wait');
  });

  it('marks failed units and omits units that never started', () => {
    const record = bootRecord({
      units: [
        unit('a.service', 1, 1, [], { result: 'exit-code' }),
        unit('b.service', 1, 1, [], { activeState: 'failed' }),
        unit('c.service', 0, 0),
        unit('d.service', 1, 1, [], { result: 'success' }),
      ],
    });
    expect(everySpan(record).map(({ name, result }) => [name, result])).toEqual([
      ['a.service', 'fail'],
      ['b.service', 'fail'],
      ['d.service', undefined],
    ]);
  });
});

describe('spanForest', () => {
  it('contains every span exactly once, for any parents', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const spans = everySpan(record);
        const seen: string[] = [];
        const pending = [...spanForest(spans)];
        for (let next = pending.pop(); next; next = pending.pop()) {
          seen.push(next.span.id);
          pending.push(...next.children);
        }
        expect(seen.sort()).toEqual(spans.map((s) => s.id).sort());
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyUnits, bootRecord, managerTimes, span, unit } from '../testing.ts';
import { knownUserspaceUs, latestEndUs, orderGraph } from './order-graph.ts';
import { retime } from './retime.ts';

const waits = (units: Parameters<typeof bootRecord>[0] & object) => {
  const graph = orderGraph(bootRecord(units));
  return Object.fromEntries(graph.names.map((name, u) => [name, graph.after[u]!.map((d) => graph.names[d])]));
};

describe('orderGraph', () => {
  it('has each After= dependency that ended before the unit began, once, by name or alias', () => {
    const units = [
      unit('a.service', 1, 1, [], { aliases: ['alias.service'] }),
      unit('late.service', 4, 9),
      unit('b.service', 5, 1, ['a.service', 'alias.service', 'late.service', 'b.service', 'absent.service']),
      unit('never.service', 0, 0, ['a.service']),
    ];
    expect(waits({ units })).toEqual({ 'a.service': [], 'late.service': [], 'b.service': ['a.service'] });
  });

  it('has a failed job of a unit that never started, and what waited for it', () => {
    const units = [
      unit('dev-b.device', 0, 0),
      unit('data.mount', 0, 0, ['dev-b.device']),
      unit('local-fs.target', 93, 0, ['data.mount']),
      unit('early.target', 5, 0, ['data.mount']),
    ];
    const job = (name: string, fromS: number) =>
      span(`job:${name}`, fromS, 92, { source: 'systemd', unit: name, result: 'fail' });
    const boot = { units, spans: [job('data.mount', 92), job('dev-b.device', 2)] };
    expect(waits(boot)).toEqual({
      'local-fs.target': ['data.mount'],
      'early.target': [],
      'dev-b.device': [],
      'data.mount': ['dev-b.device'],
    });
    const graph = orderGraph(bootRecord(boot));
    expect(retime(graph)).toMatchObject({ startUs: Float64Array.from(graph.startUs) });
  });

  it('starts a unit after the device that triggers it', () => {
    const units = [
      unit('a.device', 9, 0, [], { wants: ['a.service'] }),
      unit('a.service', 9.5, 1, ['base.target']),
      unit('base.target', 1, 0),
    ];
    expect(waits({ units })['a.service']).toEqual(['base.target', 'a.device']);
  });

  it('breaks a cycle of instants by listing order, and keeps edges into the cycle', () => {
    const units = [
      unit('a.target', 5, 0, ['c.target']),
      unit('b.target', 5, 0, ['a.target']),
      unit('c.target', 5, 0, ['b.target', 'work.service']),
      unit('work.service', 1, 4),
    ];
    expect(waits({ units })).toEqual({
      'a.target': [],
      'b.target': ['a.target'],
      'c.target': ['b.target', 'work.service'],
      'work.service': [],
    });
  });

  it('does not let a userspace unit start before the first one did', () => {
    const graph = orderGraph(
      bootRecord({
        manager: managerTimes({ userspaceUs: 4e6 }),
        units: [unit('initrd.mount', 1, 0), unit('first.slice', 5, 0), unit('app.service', 6, 1, ['first.slice'])],
      }),
    );
    expect(graph.floorUs).toEqual([1e6, 5e6, 5e6]);
    expect(graph.delayUs).toEqual([0, 0, 1e6]);
    expect(graph.earliestUs).toBe(5e6);
  });

  it('reproduces the observed times of any units', () => {
    fc.assert(
      fc.property(anyUnits, (units) => {
        const graph = orderGraph(bootRecord({ units }));
        const timed = retime(graph);
        if ('cycle' in timed) throw new Error(`a cycle is left: ${timed.cycle.join()}`);
        const started = units.filter(({ activatingUs }) => activatingUs > 0);
        expect([...timed.startUs]).toEqual(started.map(({ activatingUs }) => activatingUs));
      }),
    );
  });
});

describe('knownUserspaceUs', () => {
  it('is 0 on the userspace clock, the stamp of the manager on the kernel clock, and unknown otherwise', () => {
    const manager = managerTimes({ userspaceUs: 2e6 });
    expect(knownUserspaceUs(bootRecord({ clock: { zero: 'userspace' }, manager }))).toBe(0);
    expect(knownUserspaceUs(bootRecord({ manager }))).toBe(2e6);
    expect(knownUserspaceUs(bootRecord({ manager: managerTimes({ userspaceUs: 0 }) }))).toBeUndefined();
    expect(knownUserspaceUs(bootRecord({ clock: { zero: 'first-event' }, manager }))).toBeUndefined();
  });
});

describe('latestEndUs', () => {
  it('is not earlier than the floor', () => {
    expect(latestEndUs([0, 1], [3, 7], 5)).toBe(7);
    expect(latestEndUs([0], [3, 7], 5)).toBe(5);
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { criticalChain, doneUs } from './critical-chain.ts';
import { renderCriticalChain } from './render-chain.ts';
import { anyBoot, boot, unit } from './testing.ts';

const chainOf = (record: Parameters<typeof criticalChain>[0], target = 'goal.target', fuzzUs = 0) =>
  criticalChain(record, { target, fuzzUs }).map(({ name, depth }) => `${'  '.repeat(depth)}${name}`);
const textOf = (record: Parameters<typeof criticalChain>[0], target = 'goal.target', fuzzUs = 0) =>
  renderCriticalChain(criticalChain(record, { target, fuzzUs }), record, (text) => text)
    .split('\n')
    .slice(0, -1);

test('lists each unit followed by the unit it waited for last', () => {
  const record = boot([
    unit('goal.target', 20, 20, { after: ['slow.service', 'quick.service'] }),
    unit('quick.service', 3, 4),
    unit('slow.service', 5, 19, { after: ['base.slice'] }),
    unit('base.slice', 3, 3),
  ]);
  expect(textOf(record)).toEqual(['goal.target @18s', '└─slow.service @3s +14s', '  └─base.slice @1s']);
});

test('prints the start and the duration of the root', () => {
  expect(textOf(boot([unit('goal.target', 20, 25)]))).toEqual(['goal.target @18s +5s']);
});

test('edge case 23: distinguishes a unit that never started from a failed condition', () => {
  const record = boot([unit('idle.service', 0, 0), unit('skipped.service', 0, 0, { conditionFailed: true })]);
  expect(textOf(record, 'idle.service')).toEqual(['idle.service [never started]']);
  expect(textOf(record, 'skipped.service')).toEqual(['skipped.service [condition failed: did not run]']);
});

test('edge case 24: a failed unit delays later units until it failed', () => {
  const record = boot([
    unit('goal.target', 20, 20, { after: ['broken.service', 'fine.service'] }),
    unit('broken.service', 3, 0, { deactivatedUs: 19e6, activeState: 'failed', result: 'timeout' }),
    unit('fine.service', 3, 4),
  ]);
  expect(textOf(record)).toEqual(['goal.target @18s', '└─broken.service @1s +16s [failed]']);
});

test('edge case 25: a unit restarted after boot is not in the chain of a unit that started before', () => {
  const record = boot([
    unit('goal.target', 20, 20, { after: ['agent.service', 'base.target'] }),
    unit('agent.service', 90, 95, { deactivatedUs: 89e6 }),
    unit('base.target', 10, 10),
  ]);
  expect(chainOf(record)).toEqual(['goal.target', '  base.target']);
  expect(textOf(record, 'agent.service')).toEqual(['agent.service @1min 28s +5s [restarted after boot]']);
});

test('edge case 26: lists all units that finished at the same time, in their After= order', () => {
  const record = boot([
    unit('goal.target', 9, 9, { after: ['b.socket', 'a.socket', 'c.socket'] }),
    unit('a.socket', 5, 5),
    unit('b.socket', 5, 5),
    unit('c.socket', 4.9, 4.9),
  ]);
  expect(textOf(record)).toEqual(['goal.target @7s', '├─b.socket @3s', '└─a.socket @3s']);
  expect(chainOf(record, 'goal.target', 200_000)).toHaveLength(4);
});

test('edge case 27: prints the chain of a repeated unit once, then dots, also in a cycle', () => {
  const record = boot([
    unit('goal.target', 9, 9, { after: ['a.socket', 'b.socket'] }),
    unit('a.socket', 5, 5, { after: ['b.socket'] }),
    unit('b.socket', 5, 5, { after: ['a.socket'] }),
  ]);
  expect(textOf(record)).toEqual([
    'goal.target @7s',
    '├─a.socket @3s',
    '│ └─b.socket @3s',
    '│   └─a.socket @3s',
    '│     └─...',
    '└─b.socket @3s',
    '  └─...',
  ]);
});

test('edge case 28: prints a negative time and the phase for a unit before userspace', () => {
  const record = boot([unit('goal.target', 9, 9, { after: ['early.service'] }), unit('early.service', 1.2, 1.5)], {
    initrdUs: 1e6,
  });
  expect(textOf(record)).toEqual(['goal.target @7s', '└─early.service @-800ms +300ms [in initrd]']);
});

test('edge case 29: prints a root without data, and the units that finished before', () => {
  const record = boot([unit('goal.target', 0, 0, { after: ['base.target'] }), unit('base.target', 10, 10)]);
  expect(textOf(record)).toEqual(['goal.target [never started]', '└─base.target @8s']);
});

test('edge case 30: prints the Id of a root given by alias', () => {
  const record = boot([unit('multi.target', 9, 9, { aliases: ['runlevel3.target'] })]);
  expect(chainOf(record, 'runlevel3.target')).toEqual(['multi.target']);
});

test('edge case 31: accepts escaped names and the root slice', () => {
  const name = 'sys-devices-virtual-misc-vmbus\\x21hv_kvp.device';
  const record = boot([
    unit('goal.target', 9, 9, { after: [name] }),
    unit(name, 5, 5, { after: ['-.slice'] }),
    unit('-.slice', 3, 3),
  ]);
  expect(chainOf(record)).toEqual(['goal.target', `  ${name}`, '    -.slice']);
});

test('edge case 37: a Type=simple service counts as ready immediately', () => {
  const record = boot([
    unit('goal.target', 9, 9, { after: ['slow.service'] }),
    unit('slow.service', 5, 5, { serviceType: 'simple' }),
  ]);
  expect(textOf(record)).toEqual(['goal.target @7s', '└─slow.service @3s']);
});

test('edge case 38: follows a unit ordered after the target through the target', () => {
  const record = boot([
    unit('multi-user.target', 30, 30, { after: ['base.target'] }),
    unit('base.target', 10, 10),
    unit('cloud-final.service', 30, 42, { after: ['multi-user.target'] }),
  ]);
  expect(chainOf(record, 'cloud-final.service')).toEqual([
    'cloud-final.service',
    '  multi-user.target',
    '    base.target',
  ]);
});

test('walks a chain of five thousand units without recursion', () => {
  const units = Array.from({ length: 5000 }, (_, i) =>
    unit(`u${i}.service`, i + 3, i + 4, { after: i > 0 ? [`u${i - 1}.service`, 'u0.service'] : [] }),
  );
  expect(criticalChain(boot(units, { finishUs: 1e10 }), { target: 'u4999.service' })).toHaveLength(5000);
});

test('terminates on any graph, expands each unit once, and never goes forward in time', () => {
  fc.assert(
    fc.property(anyBoot, fc.nat(25), fc.nat(5_000_000), (record, target, fuzzUs) => {
      const nodes = criticalChain(record, { target: `u${target}.service`, fuzzUs });
      const shown = nodes.filter((node) => !node.isRepeat).map((node) => node.name);
      expect(new Set(shown).size).toBe(shown.length);
      for (const node of nodes) {
        const parent = nodes[node.parent]?.unit;
        if (parent?.activatingUs && node.unit) expect(doneUs(node.unit)).toBeLessThanOrEqual(parent.activatingUs);
        expect(node.depth).toBe(node.parent < 0 ? 0 : nodes[node.parent]!.depth + 1);
      }
      expect(textOf(record, `u${target}.service`, fuzzUs).join('')).not.toContain('NaN');
    }),
  );
});

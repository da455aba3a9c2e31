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

test('each unit is followed by the one it waited for last', () => {
  const record = boot([
    unit('goal.target', 20, 20, { after: ['slow.service', 'quick.service'] }),
    unit('quick.service', 3, 4),
    unit('slow.service', 5, 19, { after: ['base.slice'] }),
    unit('base.slice', 3, 3),
  ]);
  expect(textOf(record)).toEqual(['goal.target @18s', '└─slow.service @3s +14s', '  └─base.slice @1s']);
});

test('the root shows when it began and how long it took', () => {
  expect(textOf(boot([unit('goal.target', 20, 25)]))).toEqual(['goal.target @18s +5s']);
});

test('edge case 23: a unit that never ran is told apart from one whose condition failed', () => {
  const record = boot([unit('idle.service', 0, 0), unit('skipped.service', 0, 0, { conditionFailed: true })]);
  expect(textOf(record, 'idle.service')).toEqual(['idle.service [never started]']);
  expect(textOf(record, 'skipped.service')).toEqual(['skipped.service [condition failed: did not run]']);
});

test('edge case 24: a unit that failed held back what came after it until it failed', () => {
  const record = boot([
    unit('goal.target', 20, 20, { after: ['broken.service', 'fine.service'] }),
    unit('broken.service', 3, 0, { deactivatedUs: 19e6, activeState: 'failed', result: 'timeout' }),
    unit('fine.service', 3, 4),
  ]);
  expect(textOf(record)).toEqual(['goal.target @18s', '└─broken.service @1s +16s [failed]']);
});

test('edge case 25: a unit restarted after boot is not in the chain of what came before its restart', () => {
  const record = boot([
    unit('goal.target', 20, 20, { after: ['agent.service', 'base.target'] }),
    unit('agent.service', 90, 95, { deactivatedUs: 89e6 }),
    unit('base.target', 10, 10),
  ]);
  expect(chainOf(record)).toEqual(['goal.target', '  base.target']);
  expect(textOf(record, 'agent.service')).toEqual(['agent.service @1min 28s +5s [restarted after boot]']);
});

test('edge case 26: units that were ready at the same instant are all shown, in their After= order', () => {
  const record = boot([
    unit('goal.target', 9, 9, { after: ['b.socket', 'a.socket', 'c.socket'] }),
    unit('a.socket', 5, 5),
    unit('b.socket', 5, 5),
    unit('c.socket', 4.9, 4.9),
  ]);
  expect(textOf(record)).toEqual(['goal.target @7s', '├─b.socket @3s', '└─a.socket @3s']);
  expect(chainOf(record, 'goal.target', 200_000)).toHaveLength(4);
});

test('edge case 27: a cycle and a repeated unit are shown once with their chain and then as dots', () => {
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

test('edge case 28: a unit from before userspace has a negative time and the name of its phase', () => {
  const record = boot([unit('goal.target', 9, 9, { after: ['early.service'] }), unit('early.service', 1.2, 1.5)], {
    initrdUs: 1e6,
  });
  expect(textOf(record)).toEqual(['goal.target @7s', '└─early.service @-800ms +300ms [in initrd]']);
});

test('edge case 29: a root without data still shows its line and what has been reached before it', () => {
  const record = boot([unit('goal.target', 0, 0, { after: ['base.target'] }), unit('base.target', 10, 10)]);
  expect(textOf(record)).toEqual(['goal.target [never started]', '└─base.target @8s']);
});

test('edge case 30: an alias as root is printed under its Id', () => {
  const record = boot([unit('multi.target', 9, 9, { aliases: ['runlevel3.target'] })]);
  expect(chainOf(record, 'runlevel3.target')).toEqual(['multi.target']);
});

test('edge case 31: escaped names and the root slice are ordinary names', () => {
  const name = 'sys-devices-virtual-misc-vmbus\\x21hv_kvp.device';
  const record = boot([
    unit('goal.target', 9, 9, { after: [name] }),
    unit(name, 5, 5, { after: ['-.slice'] }),
    unit('-.slice', 3, 3),
  ]);
  expect(chainOf(record)).toEqual(['goal.target', `  ${name}`, '    -.slice']);
});

test('edge case 37: a Type=simple service counts as ready at once, however slow it is', () => {
  const record = boot([
    unit('goal.target', 9, 9, { after: ['slow.service'] }),
    unit('slow.service', 5, 5, { serviceType: 'simple' }),
  ]);
  expect(textOf(record)).toEqual(['goal.target @7s', '└─slow.service @3s']);
});

test('edge case 38: work ordered after the target is followed through it', () => {
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

test('a chain of five thousand units is walked without recursion', () => {
  const units = Array.from({ length: 5000 }, (_, i) =>
    unit(`u${i}.service`, i + 3, i + 4, { after: i > 0 ? [`u${i - 1}.service`, 'u0.service'] : [] }),
  );
  expect(criticalChain(boot(units, { finishUs: 1e10 }), { target: 'u4999.service' })).toHaveLength(5000);
});

test('the chain is total on any graph: it ends, shows each unit with its chain once, and goes back in time', () => {
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

import { expect, test } from 'vitest';
import { criticalChain } from './critical-chain.ts';
import { renderCriticalChain } from './render-chain.ts';
import { boot, unit } from './testing.ts';

const record = boot(
  [
    unit('goal.target', 20, 20, { after: ['a.service', 'b.service', 'early.mount'] }),
    unit('a.service', 10, 20, { after: ['base.target'] }),
    unit('b.service', 12, 19.5, { after: ['base.target'], activeState: 'failed' }),
    unit('base.target', 9, 9),
    unit('early.mount', 1.2, 1.5),
  ],
  { initrdUs: 1e6 },
);
const lines = (target: string, fuzzUs = 0) =>
  renderCriticalChain(criticalChain(record, { target, fuzzUs }), record, (text) => text).split('\n');

test('a chain is a tree: branches go on while a sibling is still to come, and what was shown is not shown again', () => {
  expect(lines('goal.target', 1e6)).toEqual([
    'goal.target @18s',
    '├─a.service @8s +10s',
    '│ └─base.target @7s',
    '└─b.service @10s +7.500s [failed]',
    '  └─base.target @7s',
    '    └─...',
    '',
  ]);
});

test('what came before userspace is negative, with the name of its phase', () => {
  expect(lines('early.mount')).toEqual(['early.mount @-800ms +300ms [in initrd]', '']);
});

test('a unit that the boot does not know says so', () => {
  expect(lines('other.service')).toEqual(['other.service [unknown in this boot]', '']);
});

test('each line is painted once, with whether it took time', () => {
  const painted: [string, boolean][] = [];
  renderCriticalChain(criticalChain(record, { target: 'a.service' }), record, (text, isTimed) => {
    painted.push([text.split(' ')[0]!, isTimed]);
    return text;
  });
  expect(painted).toEqual([
    ['a.service', true],
    ['base.target', false],
  ]);
});

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

test('draws branches while a sibling follows, and does not repeat a printed chain', () => {
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

test('prints a negative time and the phase for a unit before userspace', () => {
  expect(lines('early.mount')).toEqual(['early.mount @-800ms +300ms [in initrd]', '']);
});

test('labels a unit that is unknown in this boot', () => {
  expect(lines('other.service')).toEqual(['other.service [unknown in this boot]', '']);
});

test('calls paint once per line, with whether the unit took time', () => {
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

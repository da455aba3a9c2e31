import { expect, test } from 'vitest';
import { unit } from '../../../testing.ts';
import { parseBlameLine, unitsFromBlame } from './analyze-blame-text.ts';

test.each([
  ['  1min 571ms foo.service', 'foo.service', 60_571_000],
  ['16min 40.410s a\\x2db.service', 'a\\x2db.service', 1_000_410_000],
  ['989us tiny.mount', 'tiny.mount', 989],
  ['2s cut-off-na…', 'cut-off-na…', 2e6],
  ['2s a.service [wait: for a lease]', 'a.service', 2e6],
])('parseBlameLine parses %j', (text, name, tookUs) => {
  expect(parseBlameLine(text)).toEqual({ unit: name, tookUs });
});

test.each(['a.service', '2s', '2 parsecs a.service', '2s no-suffix', 'took 2s a.service', 'a.service @2s +3s'])(
  'parseBlameLine rejects %j',
  (text) => {
    expect(parseBlameLine(text)).toBeUndefined();
  },
);

test('unitsFromBlame skips units that a chain has placed, and marks the start of others as unknown, with a note', () => {
  const blame = new Map([
    ['a.service', 2e6],
    ['b.service', 3e6],
  ]);
  const { units, notes } = unitsFromBlame(blame, [unit('a.service', 5, 2)], 'paste');
  expect(units).toMatchObject([{ name: 'b.service', isStartUnknown: true, activatingUs: 1, activatedUs: 3e6 + 1 }]);
  expect(notes).toEqual([
    {
      level: 'info',
      text: 'paste: blame has the duration of 1 unit but no start time: it cannot show when they ran or what waited for them',
    },
  ]);
  expect(unitsFromBlame(new Map(), [], 'paste')).toEqual({ units: [], notes: [] });
});

/// <reference lib="dom" />
import { expect, test } from 'vitest';
import { around, lastEndUs, middleUs, percent, shareOf } from './page-state.ts';
import { pageOf, row, view } from './testing.ts';

const page = () => pageOf(view([row('a', 1000, 3000), row('b', 4000, 4000)]), view([row('a', 2000, 9000)]));

test('shareOf returns the position in a window, also outside it', () => {
  const window = { fromUs: 100, toUs: 300 };
  expect([100, 200, 300, 400].map((at) => shareOf(window, at))).toEqual([0, 0.5, 1, 1.5]);
  expect(percent(0.123456)).toBe('12.3456%');
});

test('lastEndUs returns the end of the last bar of all boots', () => {
  const { lines } = page();
  expect(lastEndUs(lines.get('a')!)).toBe(9000);
  expect(lastEndUs(lines.get('b')!)).toBe(4000);
});

test('around adds a margin to a line, and also to an instant', () => {
  const { lines } = page();
  expect(around(lines.get('a')!)).toEqual({ fromUs: 1000 - 1200, toUs: 9000 + 1200 });
  expect(around(lines.get('b')!)).toEqual({ fromUs: 3500, toUs: 4500 });
});

test('middleUs returns the selected line if it is visible, else the middle of the chart', () => {
  const one = page();
  expect(middleUs(one)).toBe(4500);
  one.selectedId = 'b';
  expect(middleUs(one)).toBe(4000);
  one.seen = { fromUs: 0, toUs: 1000 };
  expect(middleUs(one)).toBe(500);
  one.selectedId = 'gone';
  expect(middleUs(one)).toBe(500);
});

/// <reference lib="dom" />
import { beforeEach, describe, expect, test } from 'vitest';
import { titledTable } from './tables.ts';
import { FakeBrowser, type FakeElement } from './testing.ts';

beforeEach(() => {
  new FakeBrowser();
});

const table = (...given: Parameters<typeof titledTable>) => titledTable(...given)[0] as unknown as FakeElement;
const names = (card: FakeElement) =>
  card
    .find('tbody')[0]!
    .find('tr')
    .map((line) => line.texts('td').at(-1));
const sortBy = (card: FakeElement, name: string) =>
  card
    .find('.sort')
    .find((one) => one.textContent === name)!
    .fire('click');
const rows = [
  { us: 900, name: 'b' },
  { us: 10_000, name: 'C' },
  { us: undefined, name: 'a' },
].map(({ us, name }) => () => [us === undefined ? '' : { show: `${us}us`, by: us }, name]);

describe('a table', () => {
  test('is sorted by a column: numbers by value, largest first, and the other way with a second click', () => {
    const card = table('t', ['#took', 'what'], rows);
    expect(names(card)).toEqual(['b', 'C', 'a']);
    sortBy(card, 'took');
    expect(names(card)).toEqual(['C', 'b', 'a']);
    sortBy(card, 'took');
    expect(names(card)).toEqual(['b', 'C', 'a']);
    sortBy(card, 'what');
    expect(names(card)).toEqual(['a', 'b', 'C']);
    expect(card.find('th').map((head) => head.getAttribute('aria-sort'))).toEqual([null, 'ascending']);
  });

  test('has no button for a column without a heading', () => {
    expect(table('t', ['', 'what'], rows).texts('.sort')).toEqual(['what']);
  });

  test('sorts all its rows, also those that it does not show yet', () => {
    const many = Array.from({ length: 150 }, (_, at) => () => [{ show: `${at}`, by: at }, `${at}`]);
    const card = table('t', ['#took', 'what'], many);
    sortBy(card, 'took');
    expect(names(card)[0]).toBe('149');
    expect(names(card)).toHaveLength(100);
    card.find('.more')[0]!.fire('click');
    expect(names(card)).toHaveLength(150);
    expect(names(card)[149]).toBe('0');
  });

  test('says on paper what its small rows are together', () => {
    const card = table('t', ['#took', 'what'], rows, {
      isSmall: (row) => row === 0,
      rest: '1 shorter, together 900us',
    });
    expect(card.find('.small').map((line) => line.texts('td'))).toEqual([['900us', 'b']]);
    expect(card.texts('tfoot')).toEqual(['1 shorter, together 900us']);
    expect(table('t', ['what'], rows).find('tfoot')).toEqual([]);
  });

  test('without rows is not there', () => {
    expect(titledTable('t', ['what'], [])).toEqual([]);
  });
});

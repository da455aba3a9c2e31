/// <reference lib="dom" />
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeBrowser, type FakeElement, pageOf, row, view } from './testing.ts';
import { againstCard, versusLine } from './versus.ts';

beforeEach(() => {
  new FakeBrowser();
});

const asFake = (element: HTMLElement) => element as unknown as FakeElement;
const changes = [{ id: 'a', name: 'a', change: 'slower', explainsUs: 50 }];
const one = view([row('a', 0, 60)]);
const against = (text: string) => ({ text, because: ': 5s of it is a' });

describe('the sentence about several boots', () => {
  const textOf = (...views: Parameters<typeof versusLine>[0]) =>
    versusLine(views).map((line) => asFake(line).textContent);

  test('has the reasons only if there are two boots', () => {
    const [b, c] = [
      { ...one, against: against('B is sooner') },
      { ...one, against: against('C is later') },
    ];
    expect(textOf(one, b)).toEqual(['B is sooner: 5s of it is a.']);
    expect(textOf(one, b, c)).toEqual(['B is sooner; C is later.']);
  });

  test('is not there for one boot', () => {
    expect(versusLine([one])).toEqual([]);
  });
});

describe('the card of a boot', () => {
  const card = (other: typeof one) => asFake(againstCard(pageOf(one, other), other, 1));

  test('has the difference and the changes that explain it', () => {
    const shown = card({ ...one, totalUs: 150, changes });
    expect(shown.textContent).toContain('+50us +50 %');
    expect(shown.texts('li')).toEqual(['a+50us']);
  });

  test('does not compare totals that end with another event', () => {
    const other = card({ ...one, totalOf: 'something else', changes });
    expect(other.textContent).toContain('Not comparable: A is all of it, B something else.');
    expect(other.texts('li')).toEqual([]);
    expect(card({ ...one, changes: [] }).textContent).toContain('±0');
  });
});

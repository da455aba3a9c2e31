/// <reference lib="dom" />
import { beforeEach, expect, test } from 'vitest';
import { colourOf, el, marked, svgEl } from './elements.ts';
import { FakeBrowser, FakeElement } from './testing.ts';

let browser: FakeBrowser;
beforeEach(() => {
  browser = new FakeBrowser();
});

const shown = (text: string, query: string) =>
  marked(text, query)
    .map((piece) => (piece instanceof FakeElement ? `[${piece.textContent}]` : piece))
    .join('');

test.each([
  ['cloud-final.service', '', 'cloud-final.service'],
  ['cloud-final.service', 'FINAL', 'cloud-[final].service'],
  ['a-b-a', 'a b', '[a]-[b]-[a]'],
  ['cloud-init', 'cloud cloud-init', '[cloud-init]'],
  ['<b>', '<b>', '[<b>]'],
  ['nothing', 'else', 'nothing'],
])('in %j a search for %j marks %s', (text, query, expected) => {
  expect(shown(text, query)).toBe(expected);
});

test('el sets attributes and children, without undefined children', () => {
  const element = el('p', { class: 'a' }, 'text', undefined, el('b', {}, 'bold')) as unknown as FakeElement;
  expect(element.className).toBe('a');
  expect(element.nodes).toHaveLength(2);
  expect(element.textContent).toBe('textbold');
});

test('svgEl sets the text only if it is given', () => {
  expect((svgEl('line', { x1: 5 }) as unknown as FakeElement).nodes).toEqual([]);
  expect((svgEl('text', { x: 5 }, 'label') as unknown as FakeElement).textContent).toBe('label');
});

test('colourOf removes the element it uses', () => {
  expect(colourOf('ink-kernel')).toBe('ink-kernel');
  expect(browser.body.nodes).toEqual([]);
});

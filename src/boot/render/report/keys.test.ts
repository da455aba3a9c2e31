/// <reference lib="dom" />
import { beforeEach, describe, expect, test } from 'vitest';
import { listenKeys } from './keys.ts';
import { FakeBrowser, type FakeElement, FakeInput, pageOf, row, view } from './testing.ts';

const boot = view([row('unit', 0, 900), row('part', 100, 200, { parent: 'unit' }), row('other', 950, 960)]);

let browser: FakeBrowser;
let page: ReturnType<typeof pageOf>;
let scrolled: number[];
beforeEach(() => {
  browser = new FakeBrowser();
  page = pageOf(boot);
  scrolled = [];
  const waterfall = { rowPx: 24, draw() {}, scrollTo: (at: number) => scrolled.push(at), showBelow() {}, lineAt() {} };
  listenKeys(page, waterfall as never);
});

const press = (key: string, target: FakeElement = browser.byId('scroller'), more = {}) =>
  browser.window.fire('keydown', { key, target, ...more });

describe('keys on the rows', () => {
  test.each([
    ['ArrowDown', undefined, 'unit'],
    ['ArrowDown', 'unit', 'part'],
    ['ArrowDown', 'other', 'other'],
    ['ArrowUp', 'part', 'unit'],
    ['PageDown', 'unit', 'other'],
    ['Home', 'other', 'unit'],
    ['End', 'unit', 'other'],
  ])('%s goes from %s to %s', (key, from, to) => {
    page.selectedId = from;
    expect(press(key)).toBe(true);
    expect(page.asked).toEqual([['select', to]]);
    expect(scrolled).toEqual([page.rowOf.get(to)]);
  });

  test('open and close a line, and go from a part to what it is part of', () => {
    page.selectedId = 'unit';
    press('ArrowRight');
    press('ArrowLeft');
    page.selectedId = 'part';
    press('ArrowLeft');
    expect(page.asked).toEqual([
      ['toggle', 'unit'],
      ['select', 'unit'],
    ]);
  });

  test('do nothing where no line is chosen', () => {
    press('Enter');
    press('ArrowLeft');
    expect(page.asked).toEqual([]);
  });

  test('Enter looks at the chosen line', () => {
    page.selectedId = 'unit';
    press('Enter');
    expect(page.asked[0]![0]).toBe('look');
  });
});

describe('keys anywhere', () => {
  test('zoom, move and go home', () => {
    for (const key of ['+', '-', 'a', 'd', '0']) press(key, browser.body);
    expect(page.asked.map(([what]) => what)).toEqual(Array(5).fill('look'));
    expect(page.asked[4]).toEqual(['look', page.home]);
  });

  test('search, ask for help and close the details', () => {
    press('/', browser.body);
    press('?', browser.body);
    press('Escape', browser.body);
    expect(browser.byId('search').asked).toEqual(['focus']);
    expect(browser.byId('keys').asked).toEqual(['showModal']);
    expect(page.asked).toEqual([['select', undefined]]);
  });

  test('are left to the browser with a modifier, and where they mean nothing', () => {
    expect(press('+', browser.body, { ctrlKey: true })).toBe(false);
    expect(press('x', browser.body)).toBe(false);
    expect(press('ArrowDown', browser.body)).toBe(false);
    expect(page.asked).toEqual([]);
  });

  test('are text while one types, except Escape, which leaves the field', () => {
    const field = new FakeInput('input');
    expect(press('w', field)).toBe(false);
    press('Escape', field);
    expect(field.asked).toEqual(['blur']);
    expect(page.asked).toEqual([['select', undefined]]);
  });
});

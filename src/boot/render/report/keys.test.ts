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
    expect(page.calls).toEqual([['select', to]]);
    expect(scrolled).toEqual([page.rowOf.get(to)]);
  });

  test('expand and collapse a line, and go from a part to its parent', () => {
    page.selectedId = 'unit';
    press('ArrowRight');
    press('ArrowLeft');
    page.selectedId = 'part';
    press('ArrowLeft');
    expect(page.calls).toEqual([
      ['toggle', 'unit'],
      ['select', 'unit'],
    ]);
  });

  test('do nothing if no line is selected', () => {
    press('Enter');
    press('ArrowLeft');
    expect(page.calls).toEqual([]);
  });

  test('Enter zooms to the selected line', () => {
    page.selectedId = 'unit';
    press('Enter');
    expect(page.calls[0]![0]).toBe('zoomTo');
  });
});

describe('keys anywhere', () => {
  test('zoom, scroll and show the whole boot', () => {
    for (const key of ['+', '-', 'a', 'd', '0']) press(key, browser.body);
    expect(page.calls.map(([what]) => what)).toEqual(Array(5).fill('zoomTo'));
    expect(page.calls[4]).toEqual(['zoomTo', page.home]);
  });

  test('search, open the help and close the details', () => {
    press('/', browser.body);
    press('?', browser.body);
    press('Escape', browser.body);
    expect(browser.byId('search').calls).toEqual(['focus']);
    expect(browser.byId('keys').calls).toEqual(['showModal']);
    expect(page.calls).toEqual([['zoomTo', page.home]]);
  });

  test('are left to the browser with a modifier, or if they have no function', () => {
    expect(press('+', browser.body, { ctrlKey: true })).toBe(false);
    expect(press('x', browser.body)).toBe(false);
    expect(press('ArrowDown', browser.body)).toBe(false);
    expect(page.calls).toEqual([]);
  });

  test('are text in an input field, except Escape, which leaves the field', () => {
    const field = new FakeInput('input');
    expect(press('w', field)).toBe(false);
    press('Escape', field);
    expect(field.calls).toEqual(['blur']);
    expect(page.calls).toEqual([['zoomTo', page.home]]);
  });

  test('Escape clears the search first, then the selection, then the range', () => {
    page.filter.query = 'cloud';
    page.selectedId = 'u1';
    press('Escape');
    expect(page.filter.query).toBe('');
    press('Escape');
    expect(page.calls).toEqual([['refilter'], ['select', undefined]]);
  });
});

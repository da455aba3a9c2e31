/// <reference lib="dom" />
import { beforeEach, describe, expect, test } from 'vitest';
import { linkTo, showDetails, showTip } from './details.ts';
import { FakeBrowser, type FakeElement, pageOf, pathThrough, row, view } from './testing.ts';

let browser: FakeBrowser;
beforeEach(() => {
  browser = new FakeBrowser();
});

const rows = [
  row('base', 0, 1e6),
  row('unit', 2e6, 9e6, { after: [0], wait: 'for a lease', result: 'fail', detail: 'why' }),
  row('part', 3e6, 4e6, { parent: 'unit' }),
];
const one = () => pageOf(view(rows, { wallAtZeroUs: Date.UTC(2026, 10, 15, 21) * 1000, path: pathThrough(rows[1]!) }));
const two = () => pageOf(view([row('a', 0, 2e6)], { label: 'before' }), view([row('a', 0, 5e6), row('b', 0, 1)]));
const factsIn = (element: FakeElement) => {
  const values = element.texts('dd');
  return Object.fromEntries(element.texts('dt').map((name, at) => [name, values[at]]));
};
const pointer = (clientX: number, clientY: number) => ({ clientX, clientY }) as MouseEvent;

describe('the details of a span', () => {
  test('include all known facts', () => {
    const page = one();
    showDetails(page, page.lines.get('unit'));
    expect(factsIn(browser.byId('details'))).toEqual({
      duration: '7s',
      start: '2s  (21:00:02.000 UTC)',
      source: 'systemd',
      'waited for': 'for a lease',
      result: 'failed',
      'critical path': 'yes',
      'last dependency': 'base, ready 1s earlier',
      about: 'why',
    });
    expect(browser.byId('details').texts('h3')).toEqual(['Inside (1)', 'Ordered after (1)']);
  });

  test('omit unknown facts', () => {
    const page = pageOf(view([row('a', 0, 5)]));
    showDetails(page, page.lines.get('a'));
    expect(Object.keys(factsIn(browser.byId('details')))).toEqual(['duration', 'start', 'source']);
  });

  test('compare several boots with the first, and show which boots have the span', () => {
    const page = two();
    showDetails(page, page.lines.get('a'));
    expect(browser.byId('details').texts('.headline')).toEqual(['+3s from A to B']);
    showDetails(page, page.lines.get('b'));
    expect(browser.byId('details').texts('.headline')).toEqual([]);
    expect(browser.byId('details').texts('dd')).toContain('not in this boot');
  });

  test('are closed by their button, and are hidden if there is no span', () => {
    const page = one();
    showDetails(page, page.lines.get('unit'));
    browser.byId('details').find('.close')[0]!.fire('click');
    expect(page.calls).toEqual([['select', undefined]]);
    showDetails(page, undefined);
    expect(browser.byId('details').hidden).toBe(true);
  });

  test('list at most forty parts', () => {
    const parts = Array.from({ length: 50 }, (_, i) => row(`part${i}`, 1, 2, { parent: 'unit' }));
    const page = pageOf(view([row('unit', 0, 9), ...parts]));
    showDetails(page, page.lines.get('unit'));
    expect(browser.byId('details').texts('li').at(-1)).toBe('and 10 more');
  });
});

describe('the tooltip', () => {
  test('says that there are spans inside, and is hidden if there is no span', () => {
    const page = one();
    showTip(page, page.lines.get('unit'), pointer(10, 10));
    expect(browser.byId('tip').texts('p')).toEqual(['1 spans inside: press → to expand']);
    showTip(page, undefined, pointer(10, 10));
    expect(browser.byId('tip').hidden).toBe(true);
  });

  test('stays inside the window', () => {
    const page = one();
    browser.byId('tip').box = { left: 0, right: 0, top: 0, width: 300, height: 200 };
    const at = (x: number, y: number) => {
      showTip(page, page.lines.get('unit'), pointer(x, y));
      return browser.byId('tip').style.transform;
    };
    expect(at(100, 100)).toBe('translate(116px, 118px)');
    expect(at(1190, 790)).toBe('translate(892px, 578px)');
    expect(at(100, 600)).toBe('translate(116px, 388px)');
  });
});

test('a link leads to its line, and is plain text if there is no line', () => {
  const page = one();
  (linkTo(page, 'unit', 'Unit') as unknown as FakeElement).fire('click');
  expect(page.calls).toEqual([['reveal', 'unit']]);
  expect(linkTo(page, 'milestone:x', 'x').tagName).toBe('span');
});

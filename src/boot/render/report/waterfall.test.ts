/// <reference lib="dom" />
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeBrowser, type FakeElement, pageOf, pathThrough, row, view } from './testing.ts';
import { changeClass, makeWaterfall } from './waterfall.ts';

let browser: FakeBrowser;
beforeEach(() => {
  browser = new FakeBrowser();
});

function draw(...[page]: [ReturnType<typeof pageOf>]) {
  const waterfall = makeWaterfall(page);
  waterfall.draw();
  return waterfall;
}
const drawnRows = () =>
  browser
    .byId('rows')
    .find('.row')
    .filter((one) => !one.hidden);
const named = (id: string) => drawnRows().find((one) => one.dataset.id === id)!;
const many = (count: number) => view(Array.from({ length: count }, (_, i) => row(`u${i}`, i, i + 10)));

describe('the rows of the chart', () => {
  test('exist only if they are visible', () => {
    const page = pageOf(many(5000));
    const waterfall = draw(page);
    expect(drawnRows().length).toBeLessThan(30);
    expect(browser.byId('rows').style.height).toBe(`${5000 * 24}px`);
    browser.byId('scroller').scrollTop = 24 * 1000;
    waterfall.draw();
    expect(named('u1000')).toBeDefined();
    expect(named('u0')).toBeUndefined();
  });

  test('keep their element while they are visible', () => {
    const page = pageOf(many(100));
    const waterfall = draw(page);
    const before = named('u5');
    browser.byId('scroller').scrollTop = 48;
    waterfall.draw();
    expect(named('u5')).toBe(before);
  });

  test('are limited to about a page for printing', () => {
    browser.body.className = 'printing';
    draw(pageOf(many(200)));
    expect(drawnRows()).toHaveLength(36);
  });

  test('are replaced by a message if nothing matches', () => {
    draw(pageOf(many(0)));
    expect(browser.byId('empty').hidden).toBe(false);
  });
});

describe('a row', () => {
  const rows = [
    row('unit', 0, 900, { result: 'fail' }),
    row('part', 100, 200, { parent: 'unit', wait: 'for a lease' }),
    row('instant', 500, 500),
  ];

  test('shows whether it is critical, failed, a wait or an instant, and its number of parts', () => {
    draw(pageOf(view(rows, { path: pathThrough(rows[0]!) })));
    expect(named('unit').className).toBe('row critical');
    expect(named('unit').texts('.badge')).toEqual(['failed']);
    expect(named('unit').texts('.count')).toEqual(['1']);
    expect(named('unit').getAttribute('aria-expanded')).toBe('true');
    expect(named('part').find('.wait')).toHaveLength(1);
    expect(named('part').texts('.bar-note')).toEqual(['100us  wait: for a lease']);
    expect(named('instant').find('.instant')).toHaveLength(1);
    expect(named('instant').getAttribute('aria-expanded')).toBeNull();
  });

  test('points to its bar if that is outside the visible window', () => {
    const page = pageOf(view([row('before', 0, 10), row('after', 900, 910), row('here', 500, 510)]));
    page.seen = { fromUs: 400, toUs: 600 };
    draw(page);
    const beyond = (id: string) => named(id).find('.track')[0]!.dataset.beyond;
    expect(['before', 'after', 'here'].map(beyond)).toEqual(['‹', '›', '']);
  });

  test('has its note next to its bar, if there is room', () => {
    draw(pageOf(view([row('early', 0, 300), row('late', 700, 1000), row('long', 10, 990)])));
    const note = (id: string) => named(id).find('.bar-note')[0] as FakeElement;
    expect(note('early').style.left).toBe('calc(30.0000% + 7px)');
    expect(note('late').style.right).toBe('calc(30.0000% + 7px)');
    expect(note('long').classList.contains('inside')).toBe(true);
  });

  test('has room only for the boots that have the span', () => {
    const [a, b] = [view([row('both', 0, 10), row('old', 0, 10)]), view([row('both', 0, 10)])];
    draw(pageOf(a, b));
    expect([named('both').style.height, named('old').style.height]).toEqual(['32px', '20px']);
  });

  test('has its name above its bars in a narrow window', () => {
    browser.window.innerWidth = 390;
    draw(pageOf(view([row('unit', 0, 10)])));
    expect(browser.byId('chart').classList.contains('stacked')).toBe(true);
    expect(named('unit').style.height).toBe('42px');
  });

  test('shows the change between two boots', () => {
    const [a, b] = [view([row('same', 0, 10e6), row('old', 0, 1)]), view([row('same', 0, 12e6), row('new', 0, 1)])];
    draw(pageOf(a, b));
    expect(['same', 'old', 'new'].map((id) => named(id).texts('.change'))).toEqual([['+2s'], ['gone'], ['new']]);
  });
});

describe('scrolling', () => {
  test('to a row happens only if the row is not visible', () => {
    const waterfall = draw(pageOf(many(500)));
    waterfall.scrollTo(3);
    expect(browser.byId('scroller').scrollTop).toBe(0);
    waterfall.scrollTo(100);
    expect(browser.byId('scroller').scrollTop).toBe(2400 - 80);
  });

  test('to expanded parts does not move the row itself out of view', () => {
    const waterfall = draw(pageOf(many(500)));
    waterfall.showBelow(2, 3);
    expect(browser.byId('scroller').scrollTop).toBe(0);
    waterfall.showBelow(8, 4);
    expect(browser.byId('scroller').scrollTop).toBe(13 * 24 - 240);
    waterfall.showBelow(8, 400);
    expect(browser.byId('scroller').scrollTop).toBe(8 * 24);
  });
});

test('the path connects the end of each link with the start of the next', () => {
  const rows = [row('a', 0, 200), row('b', 500, 1000)];
  draw(pageOf(view(rows, { path: pathThrough(rows[0]!, row('hidden', 0, 1), rows[1]!) })));
  expect(browser.byId('paths').find('.path')[0]!.getAttribute('d')).toBe('M200.00 12V36H500.00');
});

test.each([
  ['+2s', 'slower'],
  ['new', 'slower'],
  ['−2s', 'faster'],
  ['gone', 'faster'],
  ['±0', ''],
])('changeClass of %s is %s', (change, expected) => {
  expect(changeClass(change)).toBe(expected);
});

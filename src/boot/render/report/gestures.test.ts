/// <reference lib="dom" />
import { beforeEach, describe, expect, test } from 'vitest';
import { listenChart } from './gestures.ts';
import { FakeBrowser, FakeElement, pageOf, row, view } from './testing.ts';

let browser: FakeBrowser;
let page: ReturnType<typeof pageOf>;
let onRow: FakeElement;
beforeEach(() => {
  browser = new FakeBrowser();
  page = pageOf(view([row('unit', 0, 1000), row('part', 100, 200, { parent: 'unit' }), row('leaf', 300, 400)]));
  onRow = new FakeElement();
  browser.byId('scroller').append(onRow);
  const lineAt = (target: unknown) => page.lines.get((target as FakeElement).dataset.id ?? '');
  listenChart(page, { rowPx: 24, draw() {}, scrollTo() {}, showBelow() {}, lineAt } as never, () => {});
});

const wheel = (target: FakeElement, more: Record<string, unknown>) =>
  browser.byId('chart').fire('wheel', { target, deltaX: 0, deltaY: 0, clientX: 500, deltaMode: 0, ...more });
const widthOf = ([, window]: unknown[]) => {
  const { fromUs, toUs } = window as { fromUs: number; toUs: number };
  return toUs - fromUs;
};

describe('the wheel', () => {
  test('scrolls over the rows', () => {
    expect(wheel(onRow, { deltaY: 100 })).toBe(false);
    expect(page.calls).toEqual([]);
  });

  test('zooms with ctrl, and without ctrl over the axis', () => {
    expect(wheel(onRow, { deltaY: -100, ctrlKey: true })).toBe(true);
    expect(wheel(browser.byId('axis'), { deltaY: -100 })).toBe(true);
    expect(page.calls).toHaveLength(2);
    for (const call of page.calls) expect(widthOf(call)).toBeLessThan(1000);
  });

  test('scrolls in time with shift, or sideways', () => {
    page.seen = { fromUs: 400, toUs: 600 };
    wheel(onRow, { deltaY: 100, shiftKey: true });
    wheel(onRow, { deltaX: 100 });
    for (const call of page.calls) expect(widthOf(call)).toBe(200);
    expect(page.calls[0]).toEqual(['zoomTo', { fromUs: 420, toUs: 620 }]);
  });
});

describe('a click', () => {
  test('selects a line, or expands it on its arrow', () => {
    onRow.dataset.id = 'unit';
    browser.byId('scroller').fire('click', { target: onRow });
    onRow.className = 'twist';
    browser.byId('scroller').fire('click', { target: onRow });
    onRow.dataset.id = 'leaf';
    browser.byId('scroller').fire('click', { target: onRow });
    expect(page.calls).toEqual([
      ['select', 'unit'],
      ['toggle', 'unit'],
      ['select', 'leaf'],
    ]);
  });

  test('outside the lines does nothing, and a double-click zooms to a line', () => {
    browser.byId('scroller').fire('click', { target: new FakeElement() });
    browser.byId('scroller').fire('dblclick', { target: new FakeElement() });
    expect(page.calls).toEqual([]);
    onRow.dataset.id = 'unit';
    browser.byId('scroller').fire('dblclick', { target: onRow });
    expect(page.calls[0]![0]).toBe('zoomTo');
  });
});

describe('dragging over the chart', () => {
  const drag = (more: Record<string, unknown>, toPx: number) => {
    const track = new FakeElement();
    track.className = 'track';
    browser
      .byId('chart')
      .fire('pointerdown', { target: track, button: 0, pointerType: 'mouse', clientX: 200, ...more });
    browser.window.fire('pointermove', { clientX: toPx });
    const isMarked = !browser.byId('range').hidden;
    browser.window.fire('pointerup', { clientX: toPx });
    return isMarked;
  };

  test('selects a time range and zooms to it', () => {
    expect(drag({}, 100)).toBe(true);
    expect(page.calls).toEqual([['zoomTo', { fromUs: 100, toUs: 200 }]]);
    expect(browser.byId('range').hidden).toBe(true);
  });

  test.each([
    ['a twitch', {}, 203],
    ['another button', { button: 2 }, 500],
    ['touch, which scrolls', { pointerType: 'touch' }, 500],
    ['an element outside the chart', { target: new FakeElement() }, 500],
  ])('does nothing with %s', (_, more, toPx) => {
    expect(drag(more, toPx)).toBe(false);
    expect(page.calls).toEqual([]);
  });
});

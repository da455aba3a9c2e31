/// <reference lib="dom" />
import { beforeEach, describe, expect, test } from 'vitest';
import { makeOverview, ordered } from './overview.ts';
import { FakeBrowser, pageOf, pathThrough, row, view } from './testing.ts';

const rows = [row('a', 0, 500), row('b', 500, 1000, { wait: 'for a lease' })];

let browser: FakeBrowser;
let page: ReturnType<typeof pageOf>;
beforeEach(() => {
  browser = new FakeBrowser();
  page = pageOf(view(rows, { path: pathThrough(rows[0]!) }));
});

/** From pointer-down to pointer-move; the chart is 1000 pixels wide and shows 1000 µs. */
function drag(fromPx: number, toPx: number, brush = { left: 200, right: 400 }) {
  page.seen = { fromUs: brush.left, toUs: brush.right };
  browser.byId('brush').box = { ...brush, top: 0, width: brush.right - brush.left, height: 30 };
  makeOverview(page);
  const frame = browser.byId('overview');
  frame.fire('pointerdown', { clientX: fromPx, pointerId: 1 });
  frame.fire('pointermove', { clientX: toPx });
  frame.fire('pointerup');
  frame.fire('pointermove', { clientX: 999 });
  return page.calls;
}

describe('dragging on the overview', () => {
  test('inside the window moves it', () => {
    expect(drag(300, 350)).toEqual([['zoomTo', { fromUs: 250, toUs: 450 }]]);
  });

  test('at an edge moves that edge, also past the other one', () => {
    expect(drag(202, 100)).toEqual([['zoomTo', { fromUs: 100, toUs: 400 }]]);
    page.calls.length = 0;
    expect(drag(398, 100)).toContainEqual(['zoomTo', { fromUs: 100, toUs: 200 }]);
  });

  test('elsewhere selects a new window, if the pointer moves more than a few pixels', () => {
    expect(drag(600, 602)).toEqual([]);
    expect(drag(600, 500)).toContainEqual(['zoomTo', { fromUs: 500, toUs: 600 }]);
  });

  test('selects a new window if the old one covers everything', () => {
    expect(drag(300, 500, { left: 0, right: 1000 })).toEqual([['zoomTo', { fromUs: 300, toUs: 500 }]]);
  });

  test('shows the whole boot after a double-click', () => {
    makeOverview(page);
    browser.byId('overview').fire('dblclick');
    expect(page.calls).toEqual([['zoomTo', page.home]]);
  });
});

describe('the overview', () => {
  test('has a bar for every span, at least one pixel wide', () => {
    makeOverview(page).paint();
    expect(browser.byId('overview-canvas').drawn.map(([x, , width]) => [x, width])).toEqual([
      [0, 500],
      [500, 500],
    ]);
  });

  test('shows the window of the chart, within its ends', () => {
    page.seen = { fromUs: -500, toUs: 250 };
    makeOverview(page).place();
    expect(browser.byId('brush').style).toMatchObject({ left: '0.0000%', width: '25.0000%' });
  });
});

test('ordered accepts two instants in any order', () => {
  expect(ordered(5, 3)).toEqual(ordered(3, 5));
});

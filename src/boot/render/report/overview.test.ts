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

/** From where the pointer goes down to where it is moved; the chart is 1000 pixels wide and shows 1000 µs. */
function drag(fromPx: number, toPx: number, brush = { left: 200, right: 400 }) {
  page.seen = { fromUs: brush.left, toUs: brush.right };
  browser.byId('brush').box = { ...brush, top: 0, width: brush.right - brush.left, height: 30 };
  makeOverview(page);
  const frame = browser.byId('overview');
  frame.fire('pointerdown', { clientX: fromPx, pointerId: 1 });
  frame.fire('pointermove', { clientX: toPx });
  frame.fire('pointerup');
  frame.fire('pointermove', { clientX: 999 });
  return page.asked;
}

describe('dragging on the overview', () => {
  test('inside the window moves it', () => {
    expect(drag(300, 350)).toEqual([['look', { fromUs: 250, toUs: 450 }]]);
  });

  test('at an edge moves that edge, also past the other one', () => {
    expect(drag(202, 100)).toEqual([['look', { fromUs: 100, toUs: 400 }]]);
    page.asked.length = 0;
    expect(drag(398, 100)).toContainEqual(['look', { fromUs: 100, toUs: 200 }]);
  });

  test('elsewhere marks a new window, once it is more than a twitch', () => {
    expect(drag(600, 602)).toEqual([]);
    expect(drag(600, 500)).toContainEqual(['look', { fromUs: 500, toUs: 600 }]);
  });

  test('marks a new window where the old one is everything', () => {
    expect(drag(300, 500, { left: 0, right: 1000 })).toEqual([['look', { fromUs: 300, toUs: 500 }]]);
  });

  test('twice on it goes home', () => {
    makeOverview(page);
    browser.byId('overview').fire('dblclick');
    expect(page.asked).toEqual([['look', page.home]]);
  });
});

describe('the picture', () => {
  test('has a bar for every span, one pixel wide at least', () => {
    makeOverview(page).paint();
    expect(browser.byId('overview-canvas').drawn.map(([x, , width]) => [x, width])).toEqual([
      [0, 500],
      [500, 500],
    ]);
  });

  test('has its window where the chart looks, and no further than its ends', () => {
    page.seen = { fromUs: -500, toUs: 250 };
    makeOverview(page).place();
    expect(browser.byId('brush').style).toMatchObject({ left: '0.0000%', width: '25.0000%' });
  });
});

test('two instants make a window in whichever order', () => {
  expect(ordered(5, 3)).toEqual(ordered(3, 5));
});

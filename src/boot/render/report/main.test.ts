/// <reference lib="dom" />
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { ReportView } from '../report-data.ts';
import { FakeBrowser, pathThrough, row, view } from './testing.ts';

let browser: FakeBrowser;
const root = { dataset: {} as Record<string, string>, classList: { remove: () => {} } };
beforeEach(() => {
  vi.resetModules();
  browser = new FakeBrowser();
  root.dataset = {};
  Object.assign(document, { documentElement: root });
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => draw());
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
    },
  );
});

async function open(...views: ReportView[]): Promise<void> {
  browser.byId('boots').textContent = JSON.stringify(views);
  await import('./main.ts');
}

const rows = [row('unit', 0, 900e3), row('part', 100e3, 200e3, { parent: 'unit' }), row('short', 300e3, 300_100)];
const rowNames = () =>
  browser
    .byId('rows')
    .find('.row')
    .filter((one) => !one.hidden)
    .map((one) => one.dataset.id);

describe('the page', () => {
  test('shows the spans that took time, collapsed, and their number', async () => {
    await open(view(rows));
    expect(rowNames()).toEqual(['unit']);
    expect(browser.byId('shown').textContent).toBe('1 of 3');
  });

  test('clears any filter that hides a line to reveal it', async () => {
    await open(view(rows, { path: pathThrough(rows[0]!) }));
    browser
      .byId('panel-slowest')
      .find('.link')
      .find((one) => one.textContent === 'short')!
      .fire('click');
    expect(rowNames()).toContain('short');
    expect(browser.byId('tab-waterfall').getAttribute('aria-selected')).toBe('true');
    expect(browser.byId('details').hidden).toBe(false);
    expect(browser.byId('scroller').getAttribute('aria-activedescendant')).toMatch(/^row-\d+$/);
  });

  test('says why it shows no rows', async () => {
    browser.window.location.hash = '#from=400000&to=500000';
    await open(view([row('early', 0, 100e3), row('late', 800e3, 900e3)], { endUs: 900e3 }));
    expect(rowNames()).toEqual([]);
    expect(browser.byId('why-empty').textContent).toBe('No span ran in this range.');
    browser.byId('search').value = 'nothing like it';
    browser.byId('search').fire('input');
    expect(browser.byId('why-empty').textContent).toBe('No spans match.');
  });

  test('changes from light to dark and back', async () => {
    await open(view(rows));
    browser.byId('theme').fire('click');
    expect(root.dataset.theme).toBe('dark');
    browser.byId('theme').fire('click');
    expect(root.dataset.theme).toBe('light');
  });

  test('draws one page of rows for printing, and only the visible rows afterwards', async () => {
    await open(view(Array.from({ length: 200 }, (_, i) => row(`u${i}`, 0, 20_000))));
    browser.window.fire('beforeprint');
    expect(rowNames()).toHaveLength(36);
    browser.window.fire('afterprint');
    expect(rowNames().length).toBeLessThan(50);
  });
});

/// <reference lib="dom" />
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeBrowser, pageOf, row, view } from './testing.ts';
import { fillLegend, listenToolbar, showEverything, showTab } from './toolbar.ts';

let browser: FakeBrowser;
beforeEach(() => {
  browser = new FakeBrowser();
});

const boot = view([
  row('unit', 0, 9, { source: 'systemd' }),
  row('part', 1, 2, { source: 'cloud-init', parent: 'unit' }),
  row('phase', 0, 1, { source: 'kernel' }),
]);

describe('the legend', () => {
  test('has a chip for every source of the boot that can be hidden', () => {
    fillLegend(pageOf(boot));
    expect(browser.byId('sources').texts('.chip')).toEqual(['systemd', 'cloud-init']);
    expect(browser.byId('order').nodes).toEqual([]);
  });

  test('hides a source and shows it again', () => {
    const page = pageOf(boot);
    fillLegend(page);
    const [chip] = browser.byId('sources').find('.chip');
    chip!.fire('click');
    expect([...page.filter.hiddenSources]).toEqual(['systemd']);
    expect(chip!.getAttribute('aria-pressed')).toBe('false');
    chip!.fire('click');
    expect([...page.filter.hiddenSources]).toEqual([]);
    expect(page.calls).toEqual([['refilter'], ['refilter']]);
  });

  test('labels several boots', () => {
    fillLegend(pageOf(boot, boot));
    expect(browser.byId('order').texts('span')).toEqual(['A, on top', 'B']);
  });
});

describe('the tools', () => {
  test('search and scroll to the top', () => {
    const page = pageOf(boot);
    listenToolbar(page);
    browser.byId('scroller').scrollTop = 500;
    browser.byId('search').value = 'kubelet';
    browser.byId('search').fire('input');
    expect(page.filter.query).toBe('kubelet');
    expect(browser.byId('scroller').scrollTop).toBe(0);
  });

  test.each([
    ['10000', { minUs: 10_000, isCriticalOnly: false }],
    ['0', { minUs: 0, isCriticalOnly: false }],
    ['critical', { minUs: 0, isCriticalOnly: true }],
  ])('select %s', (value, expected) => {
    const page = pageOf(boot);
    listenToolbar(page);
    browser.byId('least').value = value;
    browser.byId('least').fire('change');
    expect(page.filter).toMatchObject(expected);
  });

  test('collapse all if anything is expanded, and expand all otherwise', () => {
    const page = pageOf(boot);
    listenToolbar(page);
    browser.byId('open-all').fire('click');
    expect([page.filter.openIds.size, browser.byId('open-all').textContent]).toEqual([0, 'Expand all']);
    browser.byId('open-all').fire('click');
    expect([[...page.filter.openIds], browser.byId('open-all').textContent]).toEqual([['unit'], 'Collapse all']);
  });

  test('show the whole boot', () => {
    const page = pageOf(boot);
    listenToolbar(page);
    browser.byId('zoom-fit').fire('click');
    expect(page.calls).toEqual([['zoomTo', page.home]]);
  });
});

describe('the tabs', () => {
  test('show one panel', () => {
    showTab('path');
    expect(browser.byId('tab-path').getAttribute('aria-selected')).toBe('true');
    expect(browser.byId('tab-about').tabIndex).toBe(-1);
    expect(browser.byId('panel-path').classList.contains('chosen')).toBe(true);
    expect(browser.byId('panel-about').classList.contains('chosen')).toBe(false);
  });

  test('hide panels so that the search of the browser finds their text, and a match opens the tab', () => {
    listenToolbar(pageOf(boot));
    showTab('waterfall');
    expect(browser.byId('panel-slowest').getAttribute('hidden')).toBe('until-found');
    browser.byId('panel-slowest').fire('beforematch');
    expect(browser.byId('tab-slowest').getAttribute('aria-selected')).toBe('true');
    expect(browser.byId('panel-slowest').getAttribute('hidden')).toBeNull();
  });

  test('are selected with the arrow keys, without hidden tabs', () => {
    listenToolbar(pageOf(boot));
    browser.byId('tab-changes').hidden = true;
    browser.byId('tab-path').fire('keydown', { key: 'ArrowRight' });
    expect(browser.byId('tab-about').calls).toEqual(['focus']);
    browser.byId('tab-about').fire('keydown', { key: 'ArrowRight' });
    browser.byId('tab-path').fire('keydown', { key: 'x' });
    expect(browser.byId('tab-about').getAttribute('aria-selected')).toBe('true');
  });
});

test('showEverything clears all filters', () => {
  const page = pageOf(boot);
  fillLegend(page);
  browser.byId('sources').find('.chip')[0]!.fire('click');
  Object.assign(page.filter, { query: 'x', minUs: 5, isCriticalOnly: true });
  showEverything(page);
  expect(page.filter).toMatchObject({ query: '', minUs: 0, isCriticalOnly: false, hiddenSources: new Set() });
  expect(browser.byId('sources').find('.chip')[0]!.getAttribute('aria-pressed')).toBe('true');
});

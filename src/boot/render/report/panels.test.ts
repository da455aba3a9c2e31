/// <reference lib="dom" />
import { beforeEach, describe, expect, test } from 'vitest';
import { fillPanels } from './panels.ts';
import { FakeBrowser, pageOf, pathThrough, row, view } from './testing.ts';

let browser: FakeBrowser;
beforeEach(() => {
  browser = new FakeBrowser();
});

const rows = [
  row('unit', 0, 4e6),
  row('part', 1e6, 2e6, { parent: 'unit' }),
  row('wait', 0, 9e6, { wait: 'for a lease' }),
];
const first = view(rows, { label: 'first', totalUs: 10e6, path: pathThrough(rows[2]!, rows[0]!) });
const slower = view([row('unit', 0, 6e6), row('fresh', 0, 1e6)], { label: 'second', totalUs: 15e6 });
const headings = (id: string) => browser.byId(id).texts('h2');
const rowsIn = (id: string) =>
  browser
    .byId(id)
    .find('tbody')
    .map((body) => body.find('tr').map((line) => line.texts('td').filter((text) => text !== '')));

describe('the panels of one boot', () => {
  test('list work and waits separately, longest first', () => {
    fillPanels(pageOf(first));
    expect(headings('panel-slowest')).toEqual(['Work, longest first: first', 'Waits: first']);
    const [work, waits] = rowsIn('panel-slowest');
    expect(work!.map(([took, what]) => [took, what])).toEqual([
      ['4s', 'unit'],
      ['1s', 'part'],
    ]);
    expect(work![1]).toContain('inside unit');
    expect(waits).toEqual([['9s', 'wait', 'for a lease', '0', 'on the path', 'systemd']]);
  });

  test('list the critical path in order', () => {
    fillPanels(pageOf(first));
    expect(rowsIn('panel-path')[0]!.map((cells) => cells.at(-2))).toEqual(['for a lease', 'unit']);
  });

  test('have no changes, and show the zero of times', () => {
    fillPanels(pageOf({ ...first, zero: 'userspace' }));
    expect(browser.byId('tab-changes').hidden).toBe(true);
    expect(browser.byId('zero').textContent).toBe('· times from userspace start');
    expect(browser.byId('summary').find('.changes')).toEqual([]);
  });

  test('show the number of warnings on the tab that lists them', () => {
    const notes = [
      { level: 'warning', text: 'line 3' },
      { level: 'info', text: 'a log' },
    ] as const;
    fillPanels(pageOf({ ...first, notes: [...notes] }));
    expect(browser.byId('tab-about').texts('.warn')).toEqual(['1']);
    expect(rowsIn('panel-about')[0]).toEqual([
      ['warning', 'line 3'],
      ['info', 'a log'],
    ]);
  });

  test('show phases and waits on the card of the boot', () => {
    const phases = [{ name: 'kernel', source: 'kernel', startUs: 0, endUs: 2e6 }] as const;
    fillPanels(pageOf({ ...first, phases: [...phases], waitUs: 3e6, facts: [{ name: 'system', value: 'Debian 12' }] }));
    expect(browser.byId('summary').texts('li')).toEqual(['kernel 2s', 'waits 3s']);
    expect(browser.byId('summary').texts('p')).toEqual(['Debian 12']);
  });

  test('expand a long table on demand', () => {
    const many = Array.from({ length: 150 }, (_, i) => row(`unit${i}`, 0, i + 1));
    fillPanels(pageOf(view(many)));
    const [more] = browser.byId('panel-slowest').find('.more');
    expect(more!.textContent).toBe('Show all 150');
    expect(rowsIn('panel-slowest')[0]).toHaveLength(100);
    more!.fire('click');
    expect(rowsIn('panel-slowest')[0]).toHaveLength(150);
    expect(browser.byId('panel-slowest').find('.more')).toEqual([]);
  });
});

describe('the panels of several boots', () => {
  test('show the difference of two boots on a separate card', () => {
    fillPanels(pageOf(first, slower));
    const [card] = browser.byId('summary').find('.changes');
    expect(card!.texts('.total')).toEqual(['B against A+5s (+50 %)']);
    expect(card!.texts('li')).toEqual(['waitgone −9s', 'unit+2s', 'freshnew +1s']);
  });

  test('list every change from the first boot, largest first', () => {
    fillPanels(pageOf(first, slower));
    expect(browser.byId('tab-changes').hidden).toBe(false);
    expect(rowsIn('panel-changes')[0]!.map((cells) => cells.slice(0, 3))).toEqual([
      ['−9s', 'gone', 'wait'],
      ['+2s', 'slower', 'unit'],
      ['+1s', 'new', 'fresh'],
      ['−1s', 'gone', 'part'],
    ]);
  });

  test('compare more than two boots on their cards, if they end with the same event', () => {
    const other = view([], { totalUs: 5e6, totalOf: 'something else' });
    fillPanels(pageOf(first, slower, other));
    expect(browser.byId('summary').texts('.against')).toEqual(['+5s (+50 %) against A']);
    expect(browser.byId('summary').find('.changes')).toEqual([]);
  });
});

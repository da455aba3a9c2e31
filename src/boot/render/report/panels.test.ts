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

  test('list the critical path with shares, gaps and the longest part', () => {
    const segment = (id: string, kind: 'work' | 'wait', startUs: number, endUs: number) =>
      ({ id, name: id, kind, source: 'systemd', group: 'early units', startUs, endUs }) as const;
    const segments = [
      { ...segment('wait', 'wait', 0, 5e6), wait: 'for a lease' },
      { name: 'before unit', kind: 'gap', source: 'systemd', group: 'early units', startUs: 5e6, endUs: 6e6 } as const,
      segment('unit', 'work', 0, 4e6),
    ];
    fillPanels(pageOf({ ...first, segments }));
    expect(rowsIn('panel-path')[0]!.map((cells) => cells.slice(1, 5))).toEqual([
      ['5s', '50 %', 'wait', 'for a lease'],
      ['1s', '10 %', 'before unit', 'no input explains this time'],
      ['4s', '40 %', 'unit', 'longest inside: part 1s'],
    ]);
  });

  test('have no changes, and show the zero of times', () => {
    fillPanels(pageOf({ ...first, zero: 'userspace' }));
    expect(browser.byId('tab-changes').hidden).toBe(true);
    expect(browser.byId('zero').textContent).toBe('· times from userspace start');
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

  test('list changes on the critical path first, with their shares', () => {
    const changes = [
      { id: 'unit', name: 'unit', change: 'slower', beforeUs: 4e6, afterUs: 6e6, explainsUs: 2e6, share: 0.4 },
    ];
    fillPanels(pageOf(first, { ...slower, changes }));
    expect(headings('panel-changes')).toEqual([
      'From A to B: on the critical path',
      'From A to B: not on the path, or part of it',
    ]);
    const [onPath, rest] = rowsIn('panel-changes');
    expect(onPath).toEqual([['+2s', '40 %', 'slower', 'unit', '4s', '6s']]);
    expect(rest!.map((cells) => cells[2])).not.toContain('unit');
  });
});

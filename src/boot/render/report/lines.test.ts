import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReportRow, ReportView } from '../report-data.ts';
import { type Filter, lineDifferences, linesOfViews, shownLines } from './lines.ts';

function row(id: string, startUs: number, endUs: number, more: Partial<ReportRow> = {}): ReportRow {
  return { id, name: id, source: 'systemd', startUs, endUs, ...more };
}

function view(rows: ReportRow[], criticalIds: string[] = []): ReportView {
  return {
    label: 'boot',
    host: 'host',
    zero: 'kernel',
    startUs: 0,
    endUs: 100,
    totalUs: 100,
    totalOf: 'all of it',
    sentence: '',
    segments: [],
    findings: [],
    facts: [],
    inputs: [],
    milestones: [],
    rows,
    path: criticalIds.map((id) => ({ id, name: id, source: 'systemd', startUs: 0, endUs: 0, gapUs: 0 })),
    notes: [],
  };
}

const everything: Filter = {
  query: '',
  minUs: 0,
  isCriticalOnly: false,
  hiddenSources: new Set(),
  openIds: new Set(),
  range: undefined,
};
const names = (rows: ReportRow[], filter: Partial<Filter>, criticalIds: string[] = []) =>
  shownLines(linesOfViews([view(rows, criticalIds)]), { ...everything, ...filter }).map(({ line }) => line.id);

const nested = [
  row('unit', 10, 90),
  row('stage', 20, 80, { parent: 'unit', source: 'cloud-init' }),
  row('module', 30, 40, { parent: 'stage', source: 'cloud-init', detail: 'Writes Files' }),
  row('other', 0, 5),
];

describe('shownLines', () => {
  test('returns lines in start order, with the parts of expanded lines', () => {
    expect(names(nested, {})).toEqual(['other', 'unit']);
    expect(names(nested, { openIds: new Set(['unit']) })).toEqual(['other', 'unit', 'stage']);
    expect(names(nested, { openIds: new Set(['unit', 'stage']) })).toEqual(['other', 'unit', 'stage', 'module']);
  });

  test('finds collapsed and short lines in a search, shows their ancestors, and searches the detail', () => {
    expect(names(nested, { query: 'MODULE', minUs: 1000 })).toEqual(['unit', 'stage', 'module']);
    expect(names(nested, { query: 'writes files' })).toEqual(['unit', 'stage', 'module']);
    expect(names(nested, { query: 'cloud-init writes' })).toEqual(['unit', 'stage', 'module']);
    expect(names(nested, { query: 'nothing' })).toEqual([]);
  });

  test('finds lines by duration in a search for >SPAN', () => {
    expect(names(nested, { query: '>70us' })).toEqual(['unit']);
  });

  test('omits short spans unless they are critical, failed or waits', () => {
    const short = [
      row('a', 0, 1),
      row('b', 0, 1, { wait: 'lease' }),
      row('c', 0, 1, { result: 'fail' }),
      row('d', 0, 1),
      row('e', 0, 50),
    ];
    expect(names(short, { minUs: 10 }, ['d'])).toEqual(['e', 'b', 'c', 'd']);
  });

  test('shows all parts of an expanded line, even short ones', () => {
    expect(names(nested, { minUs: 50 })).toEqual(['unit']);
    expect(names(nested, { minUs: 50, openIds: new Set(['unit', 'stage']) })).toEqual(['unit', 'stage', 'module']);
  });

  test('shows a part with a hidden parent by its start, without indentation', () => {
    const rows = [
      row('whole', 0, 100, { source: 'kubelet' }),
      row('early', 10, 60),
      row('part', 20, 90, { parent: 'whole' }),
      row('late', 30, 80),
    ];
    const shown = shownLines(linesOfViews([view(rows)]), { ...everything, hiddenSources: new Set(['kubelet']) });
    expect(shown.map(({ line }) => [line.id, line.depth])).toEqual([
      ['early', 0],
      ['part', 0],
      ['late', 0],
    ]);
  });

  test('keeps spans of other sources inside a hidden source', () => {
    expect(names(nested, { hiddenSources: new Set(['systemd']) })).toEqual(['stage']);
  });

  test('includes parts on the critical path even if their parent is not on it', () => {
    expect(names(nested, { isCriticalOnly: true }, ['stage', 'other'])).toEqual(['other', 'stage']);
  });

  test('shows the part that a finding names with the critical path, without the other parts of its unit', () => {
    const found = { ...view([...nested, row('tiny', 31, 32, { parent: 'stage' })], ['unit']) };
    found.findings = [{ id: 'module' } as never];
    const shown = shownLines(linesOfViews([found]), { ...everything, isCriticalOnly: true });
    expect(shown.map(({ line }) => line.id)).toEqual(['unit', 'module']);
  });

  test('loses no line if parents form a loop', () => {
    const loop = [
      row('a', 0, 1, { parent: 'b' }),
      row('b', 0, 1, { parent: 'a' }),
      row('c', 0, 1, { parent: 'c' }),
      row('d', 0, 1, { parent: 'gone' }),
    ];
    const shown = names(loop, { openIds: new Set(['a', 'b', 'c', 'd']) });
    expect(shown.sort()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('shows every line of any forest once if everything is expanded', () => {
    const anyRows = fc.uniqueArray(
      fc.record({ id: fc.integer({ min: 0, max: 30 }), parent: fc.integer({ min: 0, max: 30 }), at: fc.nat(50) }),
      {
        selector: ({ id }) => id,
      },
    );
    fc.assert(
      fc.property(anyRows, (specs) => {
        const rows = specs.map(({ id, parent, at }) => row(`${id}`, at, at + 1, { parent: `${parent}` }));
        const shown = names(rows, { openIds: new Set(rows.map(({ id }) => id)) });
        expect(shown.sort()).toEqual(rows.map(({ id }) => id).sort());
      }),
    );
  });
});

describe('several boots', () => {
  const before = view([row('same', 0, 10), row('slower', 0, 10), row('faster', 0, 50), row('gone', 0, 7)]);
  const after = view([row('same', 5, 15), row('slower', 0, 30), row('faster', 0, 10), row('new', 0, 3)]);
  const lines = linesOfViews([before, after]);

  test('share a line if they share an id', () => {
    expect(lines.get('same')!.bars).toEqual([before.rows[0], after.rows[0]]);
    expect(lines.get('gone')!.bars[1]).toBeUndefined();
    expect(lines.get('new')!.bars[0]).toBeUndefined();
  });

  test('list the largest change first, without spans that only start at another time', () => {
    expect(lineDifferences(lines, 1).map(({ line, changeUs, kind }) => [line.id, changeUs, kind])).toEqual([
      ['faster', -40, 'faster'],
      ['slower', 20, 'slower'],
      ['gone', -7, 'gone'],
      ['new', 3, 'new'],
    ]);
  });

  test('are each compared with the first', () => {
    const three = linesOfViews([before, after, view([row('same', 0, 10), row('slower', 0, 12), row('later', 0, 1)])]);
    expect(lineDifferences(three, 1)).toHaveLength(4);
    expect(lineDifferences(three, 2).map(({ line, changeUs, kind }) => [line.id, changeUs, kind])).toEqual([
      ['faster', -50, 'gone'],
      ['gone', -7, 'gone'],
      ['slower', 2, 'slower'],
      ['later', 1, 'new'],
    ]);
  });
});

describe('groups and ranges', () => {
  const grouped = [
    row('kernel', 0, 10, { group: 'kernel' }),
    row('unit', 10, 90, { group: 'early units' }),
    row('stage', 20, 80, { parent: 'unit' }),
  ];
  const open = new Set(['group:kernel', 'group:early units']);

  test('a group contains its lines and closes over them', () => {
    expect(names(grouped, { openIds: open })).toEqual(['group:kernel', 'kernel', 'group:early units', 'unit']);
    expect(names(grouped, { openIds: new Set(['group:kernel']) })).toEqual([
      'group:kernel',
      'kernel',
      'group:early units',
    ]);
  });

  test('a range hides lines outside it, and groups without lines', () => {
    expect(names(grouped, { openIds: open, range: { fromUs: 50, toUs: 60 } })).toEqual(['group:early units', 'unit']);
  });

  test('a search for a unit shows its parts, a search for a duration does not', () => {
    expect(names(nested, { query: 'unit' })).toEqual(['unit', 'stage', 'module']);
    expect(names(nested, { query: '>70us' })).toEqual(['unit']);
  });
});

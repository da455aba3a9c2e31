import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth } from './display-width.ts';
import { PIPE } from './screen.ts';
import { type Column, printable, renderTable } from './table.ts';

const columnOf = (title: string, i: number, more: Partial<Column<string[]>> = {}): Column<string[]> => ({
  title,
  cell: (row) => row[i]!,
  ...more,
});

describe('a table', () => {
  it('is as wide as its widest cells, without trailing blanks', () => {
    const columns = [columnOf('TOOK', 0, { align: 'right' }), columnOf('WHAT', 1)];
    expect(
      renderTable(columns, [
        ['10.5s', 'a'],
        ['1s', 'longer'],
      ]),
    ).toBe(' TOOK  WHAT\n10.5s  a\n   1s  longer\n');
  });

  it('replaces control characters and bidirectional marks in names', () => {
    expect(printable('\u001b[31mred\u009b \u202elive\u2066')).toBe('\ufffd[31mred\ufffd \ufffdlive\ufffd');
    expect(printable('ملف.service')).toBe('ملف.service');
    const columns = [columnOf('WHAT', 0, { style: () => 'bad' })];
    expect(renderTable(columns, [['\u001b[2J']], { columns: 80, hasColour: true })).not.toContain('\u001b[2J');
  });

  it('aligns columns after wide characters', () => {
    const columns = [columnOf('UNIT', 0), columnOf('TOOK', 1)];
    expect(
      renderTable(columns, [
        ['日本語.service', '1s'],
        ['a.service', '2s'],
      ]),
    ).toBe('UNIT            TOOK\n日本語.service  1s\na.service       2s\n');
  });
});

describe('a table on a narrow terminal', () => {
  const narrow = (columns: Column<string[]>[], rows: string[][], width: number) =>
    renderTable(columns, rows, { columns: width, hasColour: false });

  it('wraps text under its column', () => {
    const columns = [columnOf('TOOK', 0), columnOf('WHY', 1, { narrow: 'wrap' })];
    expect(narrow(columns, [['1min 5s', 'the device had not appeared']], 30)).toBe(
      'TOOK     WHY\n1min 5s  the device had not\n         appeared\n',
    );
  });

  it('drops columns before it moves any below the row', () => {
    const columns = [columnOf('TOOK', 0), columnOf('SOURCE', 1, { narrow: 'drop' }), columnOf('WHAT', 2)];
    expect(narrow(columns, [['1s', 'cloud-init', 'cloud-final.service']], 30)).toBe(
      'TOOK  WHAT\n1s    cloud-final.service\n',
    );
  });

  it('puts remarks below, under the last column', () => {
    const columns = [columnOf('TOOK', 0), columnOf('WHAT', 1, { narrow: 'wrap' }), columnOf('', 2, { narrow: 'wrap' })];
    const rows = [
      ['1s', 'cloud-final.service', 'network: until it is online'],
      ['2s', 'kubelet.service', ''],
    ];
    expect(narrow(columns, rows, 34)).toBe(
      'TOOK  WHAT\n1s    cloud-final.service\n      network: until it is online\n2s    kubelet.service\n',
    );
  });

  it('labels the columns below: in the header for one column, else on each line', () => {
    const rows = [['pool-number-one', 'a-long-gallery/debian', '30']];
    const columns = [columnOf('POOL', 0), columnOf('FROM', 1)];
    const three = [...columns, columnOf('GB', 2)];
    expect(narrow(columns, rows, 32)).toBe('POOL\n    FROM\npool-number-one\n    a-long-gallery/debian\n');
    expect(narrow(three, rows, 32)).toBe('POOL\npool-number-one\n    FROM a-long-gallery/debian\n    GB 30\n');
    expect(narrow(three, rows, 40)).toBe(
      'POOL             FROM\n    GB\npool-number-one  a-long-gallery/debian\n    30\n',
    );
  });

  it('puts a name that is too long for its column uncut on its own line', () => {
    const columns = [columnOf('START', 0), columnOf('WHAT', 1, { narrow: 'wrap' })];
    const rows = [
      ['1min 35.438s', 'sys-devices-platform-ttyS1.device'],
      ['1s', 'a.service'],
      ['2s', 'b.service'],
    ];
    expect(narrow(columns, rows, 40)).toBe(
      'START         WHAT\n1min 35.438s\n    sys-devices-platform-ttyS1.device\n1s            a.service\n2s            b.service\n',
    );
  });
});

describe('any table', () => {
  const word = fc.oneof(
    fc.stringMatching(/^[a-z0-9.:/-]{1,14}$/),
    fc.string({ unit: fc.constantFrom('日', '本', 'é', '🚀'), minLength: 1, maxLength: 7 }),
    fc.constant('1min 5s'),
  );
  const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
  const column = fc.record({
    title: fc.constantFrom('', 'TOOK', 'WHAT', 'MADE FROM'),
    align: fc.constantFrom('left' as const, 'right' as const),
    narrow: fc.constantFrom('wrap' as const, 'drop' as const, undefined),
    style: fc.constantFrom('bad' as const, 'path' as const, undefined),
  });
  const table = fc.array(column, { minLength: 1, maxLength: 7 }).chain((specs) =>
    fc.record({
      columns: fc.constant(
        specs.map(
          ({ title, align, narrow, style }, i): Column<string[]> => ({
            ...columnOf(title, i, { align, style: () => style }),
            ...(narrow && { narrow }),
          }),
        ),
      ),
      rows: fc.array(fc.tuple(...specs.map(({ narrow }) => (narrow === 'wrap' ? text : word))), { maxLength: 5 }),
    }),
  );
  const width = fc.integer({ min: 40, max: 140 });

  it('has no line wider than the terminal, unless a word is wider', () => {
    fc.assert(
      fc.property(table, width, ({ columns, rows }, columnsOfScreen) => {
        const lines = renderTable(columns, rows, { columns: columnsOfScreen, hasColour: false }).split('\n');
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columnsOfScreen);
      }),
    );
  });

  it('loses no word on a narrow terminal, except in columns marked drop', () => {
    const words = (texts: string[]) => texts.join(' ').split(/\s+/).filter(Boolean).sort();
    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 140 }), ({ columns, rows }, columnsOfScreen) => {
        const printed = words([renderTable(columns, rows, { columns: columnsOfScreen, hasColour: false })]);
        for (const { narrow, cell } of columns)
          if (narrow !== 'drop') expect(printed).toEqual(expect.arrayContaining(words(rows.map(cell))));
      }),
    );
  });

  it('has natural widths without a limit', () => {
    fc.assert(
      fc.property(table, ({ columns, rows }) => {
        const cells = [columns.map(({ title }) => title), ...rows];
        const widths = columns.map((_, i) => Math.max(...cells.map((row) => displayWidth(row[i]!))));
        const pad = (cell: string, i: number) => {
          const blanks = ' '.repeat(widths[i]! - displayWidth(cell));
          return columns[i]!.align === 'right' ? blanks + cell : cell + blanks;
        };
        const expected = cells.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('');
        expect(renderTable(columns, rows)).toBe(expected);
        expect(renderTable(columns, rows, PIPE)).toBe(expected);
      }),
    );
  });

  it('has the same text without colours', () => {
    fc.assert(
      fc.property(table, width, ({ columns, rows }, columnsOfScreen) => {
        const coloured = renderTable(columns, rows, { columns: columnsOfScreen, hasColour: true });
        const plain = renderTable(columns, rows, { columns: columnsOfScreen, hasColour: false });
        expect(stripVTControlCharacters(coloured)).toBe(plain);
      }),
    );
  });
});

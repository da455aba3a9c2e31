// cli/output/table.ts: renders rows and columns, as wide as the screen allows.
import { displayWidth, longestWord, padTo, wrapText } from './display-width.ts';
import { paint, type Style } from './paint.ts';
import { PIPE, type Screen } from './screen.ts';
import { type ColumnFacts, GAP, type Layout, layOutColumns } from './table-layout.ts';

export interface Column<Row> {
  title: string;
  align?: 'left' | 'right';
  cell(row: Row): string;
  style?(row: Row): Style | undefined;
  /**
   * On a narrow terminal: `wrap` breaks the text between words, `drop` leaves out the column. Other columns stay whole.
   * Columns that still do not fit go below the row.
   */
  narrow?: 'wrap' | 'drop';
}

export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], screen: Screen = PIPE): string {
  const cells = rows.map((row) =>
    columns.map((column): Cell => ({ text: printable(column.cell(row)), style: column.style?.(row) })),
  );
  const layout = layOutColumns(
    columns.map((column, i) =>
      factsOf(
        column,
        cells.map((row) => row[i]!.text),
      ),
    ),
    screen.columns,
  );
  const titles = columns.map(({ title }): Cell => ({ text: title, style: 'header' }));
  const table: Table = { columns, layout, screen, labels: labelsOf(columns, layout) };
  const lines = [...renderRow(titles, table, 'header'), ...cells.flatMap((row) => renderRow(row, table, 'row'))];
  return `${lines.join('\n')}\n`;
}

function factsOf({ title, narrow }: Pick<Column<never>, 'title' | 'narrow'>, texts: readonly string[]): ColumnFacts {
  const words = texts.map(longestWord).sort((a, b) => a - b);
  const least = displayWidth(title);
  return {
    natural: texts.reduce((most, text) => Math.max(most, displayWidth(text)), least),
    title: least,
    longestWord: words.at(-1) ?? 0,
    usualWord: words[Math.floor((words.length - 1) * 0.75)] ?? 0,
    narrow,
  };
}

interface Cell {
  text: string;
  style: Style | undefined;
}

interface Table {
  columns: readonly Pick<Column<never>, 'title' | 'align'>[];
  layout: Layout;
  screen: Screen;
  /** Where the titles of the columns below a row are: in the header if only one has a title, else on each line. */
  labels: 'header' | 'line';
}

function labelsOf(columns: Table['columns'], { below }: Layout): Table['labels'] {
  return below.filter((column) => columns[column]!.title !== '').length === 1 ? 'header' : 'line';
}

const BELOW = 4;

function renderRow(cells: readonly Cell[], table: Table, kind: 'header' | 'row'): string[] {
  const { columns, layout, screen, labels } = table;
  const below: Cell[] = [];
  const texts = layout.inPlace.map(({ column, width }) => {
    const cell = cells[column]!;
    if (displayWidth(cell.text) <= width) return [cell.text];
    if (longestWord(cell.text) <= width) return wrapText(cell.text, width);
    below.push({ ...cell, text: cell.text.trimStart() });
    return [''];
  });
  const isMoved = below.length > 0;
  if (kind === 'row' || labels === 'header') {
    for (const column of layout.below) {
      const { text, style } = cells[column]!;
      const label = labels === 'line' && columns[column]!.title !== '' ? `${columns[column]!.title} ` : '';
      if (text !== '') below.push({ text: `${label}${text}`, style });
    }
  }
  const height = texts.reduce((most, lines) => Math.max(most, lines.length), 1);
  const lines = Array.from({ length: height }, (_, n) =>
    joined(
      layout.inPlace.map(({ column, width }, i) => {
        const text = texts[i]![n] ?? '';
        const padded = padTo(text, width, columns[column]!.align);
        return { text: padded, style: cells[column]!.style };
      }),
      screen,
    ),
  );
  return [...lines, ...renderBelow(below, indentOf(below, isMoved, table), screen)];
}

/** Remarks (columns without a title) go under the last column, if there is room. */
function indentOf(below: readonly Cell[], isMoved: boolean, { columns, layout, screen }: Table): number {
  const { column, width } = layout.inPlace.at(-1)!;
  const start = layout.inPlace.reduce((sum, place) => sum + place.width + GAP, 0) - width - GAP;
  const areRemarks = layout.below.every((index) => columns[index]!.title === '');
  const hasRoom = below.every(({ text }) => start + longestWord(text) <= screen.columns);
  return !isMoved && areRemarks && hasRoom && columns[column]!.align !== 'right' && start > 0 ? start : BELOW;
}

function renderBelow(cells: readonly Cell[], indent: number, screen: Screen): string[] {
  const lines: Cell[][] = [];
  let used = 0;
  for (const { text, style } of cells) {
    const [first = '', ...more] = wrapText(text, screen.columns - indent);
    const width = displayWidth(first);
    if (lines.length > 0 && more.length === 0 && used + GAP + width <= screen.columns) {
      lines.at(-1)!.push({ text: first, style });
      used += GAP + width;
      continue;
    }
    for (const line of [first, ...more]) lines.push([{ text: line, style }]);
    used = more.length > 0 ? screen.columns : indent + width;
  }
  return lines.map((line) => `${' '.repeat(indent)}${joined(line, screen)}`);
}

/** No blanks at the end of a line, and none inside a style. */
function joined(cells: readonly Cell[], screen: Screen): string {
  const last = cells.findLastIndex(({ text }) => text.trimEnd() !== '');
  return cells
    .slice(0, last + 1)
    .map(({ text, style }, i) => {
      const [, before, bare, after] = /^(\s*)(.*?)(\s*)$/s.exec(text)!;
      return `${before}${paint(bare!, style, screen)}${i === last ? '' : after}`;
    })
    .join(' '.repeat(GAP));
}

/** Replaces control characters and bidirectional marks: names and messages come from logs and must not control the terminal. */
export function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');
}

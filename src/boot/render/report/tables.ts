/// <reference lib="dom" />
// boot/render/report/tables.ts: how is a table drawn, sorted, and shortened on the screen and on paper?
import { el } from './elements.ts';

/** `by` sorts it; otherwise its text does. */
export type Cell = string | HTMLElement | { show: string | HTMLElement; by: number };
type TableRow = () => Cell[];

export interface TableOptions {
  /** Hidden on paper. */
  isSmall?: (row: number) => boolean;
  /** On paper, what the hidden rows are together. */
  rest?: string;
}

const MANY_ROWS = 100;

/** A heading that begins with # marks a column of numbers; a column without a heading cannot be sorted. */
export function titledTable(
  title: string,
  heads: readonly string[],
  rows: readonly TableRow[],
  { isSmall, rest = '' }: TableOptions = {},
): HTMLElement[] {
  if (rows.length === 0) return [];
  const isNumber = heads.map((head) => head.startsWith('#'));
  const body = el('tbody');
  const more = el('button', { class: 'more' }, `Show all ${rows.length}`);
  let order = rows.map((_, row) => row);
  let isWhole = rows.length <= MANY_ROWS;

  const drawRow = (row: number) => {
    const cells = rows[row]!().map((cell, column) =>
      el('td', isNumber[column] ? { class: 'num' } : {}, isSortable(cell) ? cell.show : cell),
    );
    return el('tr', isSmall?.(row) ? { class: 'small' } : {}, ...cells);
  };
  const drawRows = () => body.replaceChildren(...order.slice(0, isWhole ? rows.length : MANY_ROWS).map(drawRow));
  more.addEventListener('click', () => {
    isWhole = true;
    more.remove();
    drawRows();
  });

  const headings = heads.map((head, column) => {
    const name = head.replace('#', '');
    const cell = el('th', { scope: 'col', ...(isNumber[column] && { class: 'num' }) });
    if (name === '') return cell;
    const button = el('button', { class: 'sort', title: `Sort by ${name}` }, name);
    button.addEventListener('click', () => {
      const first = isNumber[column] ? 'descending' : 'ascending';
      const sorted = cell.getAttribute('aria-sort');
      const next = sorted !== first ? first : first === 'ascending' ? 'descending' : 'ascending';
      for (const other of headings) other.removeAttribute('aria-sort');
      cell.setAttribute('aria-sort', next);
      order = sortedRows(rows, column, next === 'ascending' ? 1 : -1);
      drawRows();
    });
    cell.append(button);
    return cell;
  });

  drawRows();
  const foot = el('tfoot', {}, el('tr', {}, el('td', { colspan: String(heads.length) }, rest)));
  const table = el('table', {}, el('thead', {}, el('tr', {}, ...headings)), body, rest === '' ? undefined : foot);
  return [el('section', { class: 'card' }, el('h2', {}, title), table, isWhole ? undefined : more)];
}

function isSortable(cell: Cell): cell is { show: string | HTMLElement; by: number } {
  return typeof cell === 'object' && 'by' in cell;
}

/** Cells without a value come last; equal ones keep the order of the table. */
function sortedRows(rows: readonly TableRow[], column: number, direction: 1 | -1): number[] {
  const keys = rows.map((row) => keyOf(row()[column]!));
  const compare = (a: string | number, b: string | number) =>
    a === b ? 0 : a === '' ? 1 : b === '' ? -1 : (a < b ? -1 : 1) * direction;
  return rows.map((_, row) => row).sort((a, b) => compare(keys[a]!, keys[b]!) || a - b);
}

function keyOf(cell: Cell): string | number {
  if (isSortable(cell)) return cell.by;
  return (typeof cell === 'string' ? cell : (cell.textContent ?? '')).toLowerCase();
}

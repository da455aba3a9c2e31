// cli/output/table.ts: rows and columns a person can read, and their widths.

export interface Column<Row> {
  title: string;
  align?: 'left' | 'right';
  cell(row: Row): string;
}

export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = rows.map((row) => columns.map((column) => printable(column.cell(row))));
  const widths = columns.map((column, i) =>
    cells.reduce((width, row) => Math.max(width, row[i]!.length), column.title.length),
  );
  const line = (texts: readonly string[]) =>
    texts
      .map((text, i) => (columns[i]!.align === 'right' ? text.padStart(widths[i]!) : text.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd();
  return `${[line(columns.map((c) => c.title)), ...cells.map(line)].join('\n')}\n`;
}

/** Names and messages come from logs: no control character of theirs, nor one that turns the line round, reaches the terminal. */
export function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');
}

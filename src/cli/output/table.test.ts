import { describe, expect, it } from 'vitest';
import { printable, renderTable } from './table.ts';

describe('a table', () => {
  it('is as wide as its widest cells, with no blanks at the ends of lines', () => {
    const columns = [
      { title: 'TOOK', align: 'right' as const, cell: (row: string[]) => row[0]! },
      { title: 'WHAT', cell: (row: string[]) => row[1]! },
    ];
    expect(
      renderTable(columns, [
        ['10.5s', 'a'],
        ['1s', 'longer'],
      ]),
    ).toBe(' TOOK  WHAT\n10.5s  a\n   1s  longer\n');
  });

  it('lets no character of a name steer the terminal or turn the line round', () => {
    expect(printable('\u001b[31mred\u009b \u202elive\u2066')).toBe('\ufffd[31mred\ufffd \ufffdlive\ufffd');
    expect(printable('ملف.service')).toBe('ملف.service');
  });
});

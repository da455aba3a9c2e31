// cli/output/table-layout.ts: which columns of a table fit next to each other on this screen, and how wide is each?

export interface ColumnFacts {
  /** The width of the title and all cells. */
  natural: number;
  title: number;
  longestWord: number;
  /** The longest word of a cell, in three quarters of the rows. */
  usualWord: number;
  narrow?: 'wrap' | 'drop' | undefined;
}

export interface Layout {
  /** Next to each other. */
  inPlace: { column: number; width: number }[];
  /** On extra lines below each row. */
  below: number[];
}

export const GAP = 2;
/** Narrower columns are hard to read: one word per line. A longer text gets at least a third of its width, up to LEAST_LONG_TEXT. */
const LEAST_TEXT = 16;
const LEAST_LONG_TEXT = 40;

/**
 * Natural widths if they fit. Otherwise text wraps in its column; then columns marked `drop` are left out; then the
 * last columns go below their row, uncut.
 */
export function layOutColumns(facts: readonly ColumnFacts[], screen: number): Layout {
  const all = facts.map((_, column) => column);
  const filled = all.filter((column) => facts[column]!.natural > 0);
  const last = filled.at(-1) ?? -1;
  const wanted = all.filter((column) => column <= last);
  if (sum(wanted.map((column) => facts[column]!.natural + GAP)) - GAP <= screen)
    return { inPlace: all.map((column) => ({ column, width: facts[column]!.natural })), below: [] };

  const needed = filled.filter((column, i) => i === 0 || facts[column]!.narrow !== 'drop');
  for (const columns of [filled, needed]) {
    const inPlace = fitColumns(columns, facts, screen, 'words-fit');
    if (inPlace) return { inPlace, below: [] };
  }
  for (let count = needed.length; count > 1; count--) {
    const inPlace = fitColumns(needed.slice(0, count), facts, screen, 'most-words-fit');
    if (inPlace) return { inPlace, below: needed.slice(count) };
  }
  const { natural, narrow } = facts[needed[0]!]!;
  const width = narrow === 'wrap' ? Math.min(natural, screen) : natural;
  return { inPlace: [{ column: needed[0]!, width }], below: needed.slice(1) };
}

/** `most-words-fit`: if the last cell of a row has a longer word, it goes below the row. */
function fitColumns(
  columns: readonly number[],
  facts: readonly ColumnFacts[],
  screen: number,
  how: 'words-fit' | 'most-words-fit',
): Layout['inPlace'] | undefined {
  const least = columns.map((column, i) => {
    const { natural, title, longestWord, usualWord, narrow } = facts[column]!;
    if (narrow !== 'wrap') return natural;
    const word = how === 'most-words-fit' && i === columns.length - 1 ? usualWord : longestWord;
    const long = Math.min(LEAST_LONG_TEXT, Math.ceil(natural / 3));
    return Math.min(natural, Math.max(LEAST_TEXT, title, word, long));
  });
  let spare = screen - sum(least) - GAP * (columns.length - 1);
  if (spare < 0) return undefined;
  return columns.map((column, i) => {
    const more = Math.min(spare, facts[column]!.natural - least[i]!);
    spare -= more;
    return { column, width: least[i]! + more };
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

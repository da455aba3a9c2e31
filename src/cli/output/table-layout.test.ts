import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ColumnFacts, GAP, layOutColumns } from './table-layout.ts';

/** Without `longestWord`, the widest cell is one word. */
const column = (natural: number, more: Partial<ColumnFacts> = {}): ColumnFacts => {
  const longestWord = more.longestWord ?? natural;
  return { natural, title: Math.min(4, natural), longestWord, usualWord: longestWord, ...more };
};
const text = (natural: number, more: Partial<ColumnFacts> = {}) =>
  column(natural, { longestWord: 8, narrow: 'wrap', ...more });
const widths = (facts: ColumnFacts[], screen: number) =>
  layOutColumns(facts, screen).inPlace.map(({ column: at, width }) => [at, width]);

describe('layOutColumns', () => {
  it('gives every column its natural width if the table just fits', () => {
    const facts = [column(10), column(20), text(30)];
    const layout = layOutColumns(facts, 10 + GAP + 20 + GAP + 30);
    expect(layout.inPlace.map(({ width }) => width)).toEqual([10, 20, 30]);
    expect(layOutColumns(facts, 63)).not.toEqual(layout);
  });

  it('needs no room for empty columns at the end, and drops empty columns on a narrow screen', () => {
    expect(layOutColumns([column(10), column(0), column(0)], 10).below).toEqual([]);
    expect(widths([column(10), column(0), text(60)], 40)).toEqual([
      [0, 10],
      [2, 28],
    ]);
  });

  it('wraps text no narrower than its longest word, its title and a third of its length', () => {
    const beside = (facts: ColumnFacts) => {
      for (let screen = 13; ; screen++) {
        const { inPlace, below } = layOutColumns([column(10), facts], screen);
        if (below.length === 0) return inPlace[1]!.width;
      }
    };
    expect(beside(text(40))).toBe(16);
    expect(beside(text(40, { longestWord: 25 }))).toBe(25);
    expect(beside(text(40, { title: 19 }))).toBe(19);
    expect(beside(text(90))).toBe(30);
    expect(beside(text(900))).toBe(40);
    expect(beside(text(12))).toBe(12);
  });

  it('gives spare room to the first text that can use it', () => {
    expect(widths([text(30), text(30)], 30 + GAP + 20)).toEqual([
      [0, 30],
      [1, 20],
    ]);
  });

  it('leaves out a column marked drop, but never the first column', () => {
    const facts = [column(10, { narrow: 'drop' }), column(20, { narrow: 'drop' }), column(20)];
    expect(layOutColumns(facts, 32)).toEqual({
      inPlace: [
        { column: 0, width: 10 },
        { column: 2, width: 20 },
      ],
      below: [],
    });
  });

  it('moves the last columns below the row, one by one', () => {
    const facts = [column(10), column(10), column(10), column(10)];
    expect([46, 45, 33, 21, 3].map((screen) => layOutColumns(facts, screen).below)).toEqual([
      [],
      [3],
      [2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it('ignores rare long words in the last column before it moves that column below', () => {
    const facts = [column(12), text(33, { longestWord: 33, usualWord: 9 })];
    expect(layOutColumns(facts, 40)).toEqual({
      inPlace: [
        { column: 0, width: 12 },
        { column: 1, width: 26 },
      ],
      below: [],
    });
    expect(layOutColumns([...facts, column(5)], 40).below).toEqual([2]);
  });

  it('wraps a single text at the edge of the screen, and never cuts a column that does not wrap', () => {
    expect(widths([text(50)], 10)).toEqual([[0, 10]]);
    expect(widths([column(50)], 10)).toEqual([[0, 50]]);
  });
});

describe('any layout', () => {
  const facts = fc
    .record({
      natural: fc.nat(60),
      title: fc.nat(12),
      longestWord: fc.nat(40),
      usualWord: fc.nat(40),
      narrow: fc.constantFrom('wrap' as const, 'drop' as const, undefined),
    })
    .map(
      ({ natural, title, longestWord, usualWord, narrow }): ColumnFacts => ({
        natural,
        title: Math.min(title, natural),
        longestWord: Math.min(longestWord, natural),
        usualWord: Math.min(usualWord, longestWord, natural),
        narrow,
      }),
    );

  it('fits the screen if it has more than one column, loses no column that must not be dropped, and keeps the order', () => {
    fc.assert(
      fc.property(
        fc.array(facts, { minLength: 1, maxLength: 6 }).filter((all) => all.some(({ natural }) => natural > 0)),
        fc.integer({ min: 1, max: 200 }),
        (all, screen) => {
          const { inPlace, below } = layOutColumns(all, screen);
          const last = inPlace.findLastIndex(({ width }) => width > 0);
          const used = inPlace.slice(0, last + 1).reduce((total, { width }) => total + width + GAP, -GAP);
          if (inPlace.length > 1) expect(used).toBeLessThanOrEqual(screen);
          const placed = [...inPlace.map(({ column: at }) => at), ...below];
          expect(placed).toEqual(placed.toSorted((a, b) => a - b));
          const kept = all.flatMap(({ natural, narrow }, at) => (natural > 0 && narrow !== 'drop' ? [at] : []));
          expect(placed).toEqual(expect.arrayContaining(kept));
          for (const { column: at, width } of inPlace) expect(width).toBeLessThanOrEqual(all[at]!.natural);
        },
      ),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineDiff } from './line-diff.ts';

describe('lineDiff', () => {
  it('shows removed and added lines with two lines of context', () => {
    const from = 'a\nb\nc\nd\ne\nf\ng\n';
    expect(lineDiff(from, from.replace('e', 'E')).map(({ sign, text }) => sign + text)).toEqual([
      'gap',
      ' c',
      ' d',
      '-e',
      '+E',
      ' f',
      ' g',
    ]);
  });

  it('is empty for equal texts, and has all lines of a new text', () => {
    expect(lineDiff('a\n', 'a\n').filter((line) => line.sign !== 'gap')).toEqual([]);
    expect(lineDiff('', 'a\nb\n').map((line) => line.sign)).toEqual(['+', '+']);
  });

  it('distinguishes a last line with and without a line break', () => {
    expect(lineDiff('a\n', 'a').map((line) => line.sign)).toEqual(['-', '+']);
  });

  it('has exactly the lines of both texts, in order', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 })
      .map((lines) => lines.map((line) => `${line}\n`).join(''));
    fc.assert(
      fc.property(text, text, (from, to) => {
        const lines = lineDiff(from, to).filter((line) => line.sign !== ' ' && line.sign !== 'gap');
        const minus = lines.filter((line) => line.sign === '-').length;
        const plus = lines.filter((line) => line.sign === '+').length;
        expect(to.length / 2 - from.length / 2).toBe(plus - minus);
        expect(lines.length === 0).toBe(from === to);
      }),
    );
  });

  it('is fast for large texts', () => {
    const large = (word: string) => Array.from({ length: 20_000 }, (_, i) => `${word} ${i}\n`).join('');
    expect(lineDiff(large('old'), large('new'))).toHaveLength(40_000);
  });
});

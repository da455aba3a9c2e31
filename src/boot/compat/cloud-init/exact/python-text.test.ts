import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterFirst,
  firstWords,
  isPythonSpace,
  strip,
  stripLeft,
  stripLeftColons,
  stripRightColons,
  wordsOf,
} from './python-text.ts';

describe('Python str methods', () => {
  it('treat more separators as whitespace than JavaScript, but not a byte order mark', () => {
    const blanks = Array.from({ length: 0x10000 }, (_, code) => code).filter(isPythonSpace);
    expect(blanks).toHaveLength(29);
    for (const code of [0x1c, 0x1d, 0x1e, 0x1f, 0x85, 0xa0, 0x3000]) expect(blanks).toContain(code);
    for (const code of [0x200b, 0xfeff, 0x180e]) expect(blanks).not.toContain(code);
  });

  it('split at any run of whitespace', () => {
    expect(wordsOf(' a\u00a0 b\x1cc ')).toEqual(['a', 'b', 'c']);
    expect(firstWords('a b c', 2)).toEqual(['a', 'b']);
    expect(wordsOf(' \n')).toEqual([]);
  });

  it('strip whitespace at both ends', () => {
    expect(strip('\x1f a b\u2028')).toBe('a b');
    expect(stripLeft('\x1f a ')).toBe('a ');
    expect(strip(' ')).toBe('');
  });

  it('give the same words after stripping', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '\u00a0', '\x1c', '\ufeff') });
    fc.assert(
      fc.property(text, (any) => {
        expect(wordsOf(strip(any))).toEqual(wordsOf(any));
      }),
    );
  });

  it('give the text between the first two occurrences of a separator', () => {
    expect(afterFirst('a: b: c', ': ')).toBe('b');
    expect(afterFirst('a: b', ': ')).toBe('b');
  });

  it('strip colons at one end only', () => {
    expect(stripRightColons('::a::')).toBe('::a');
    expect(stripLeftColons('::a::')).toBe('a::');
    expect(stripRightColons('::')).toBe('');
  });
});

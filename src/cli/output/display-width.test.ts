import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutTo, displayWidth, longestWord, padTo, wrapText } from './display-width.ts';

describe('displayWidth', () => {
  it.each([
    ['kubelet.service', 15],
    ['├─ é', 4],
    ['e\u0301', 1],
    ['ملف.service', 11],
    ['日本語.service', 14],
    ['디스크.mount', 12],
    ['\u1112\u1161\u11ab', 2],
    ['ｶﾅ', 2],
    ['ＡＢ', 4],
    ['🚀.service', 10],
    ['👩‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['©', 1],
    ['a\u200bb', 2],
    ['\ufffd', 1],
    ['', 0],
  ])('of %j is %i columns', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  it('padTo pads by columns', () => {
    expect(padTo('日本', 6)).toBe('日本  ');
    expect(padTo('日本', 6, 'right')).toBe('  日本');
    expect(padTo('longer', 3)).toBe('longer');
  });

  it('cutTo fits the width, ends in an ellipsis, and never splits a character', () => {
    expect(cutTo('waiting for x', 13)).toBe('waiting for x');
    expect(cutTo('waiting for x', 9)).toBe('waiting …');
    expect(cutTo('日本語', 4)).toBe('日…');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, width) => {
        expect(displayWidth(cutTo(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('wrapText', () => {
  it('breaks between words, not inside a time, and keeps the indentation', () => {
    expect(wrapText('  one two three four', 10)).toEqual(['  one two', '  three', '  four']);
    expect(wrapText('took 1min 35.438s of 2h 1min', 12)).toEqual(['took', '1min 35.438s', 'of 2h 1min']);
    expect(wrapText(' waits: a b c', 9, 2)).toEqual([' waits: a', '  b c']);
    expect(wrapText('it fits  as it is', 20)).toEqual(['it fits  as it is']);
    expect(wrapText('at /a/very/long/path now', 10, 4)).toEqual(['at /a/very/long/path', '    now']);
  });

  it('keeps all words in order, and no line is too wide unless a word is', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 12 })).map((words) => words.join(' '));
    fc.assert(
      fc.property(texts, fc.integer({ min: 12, max: 60 }), (text, width) => {
        const words = (lines: string) => lines.split(/ +/).filter(Boolean);
        const lines = wrapText(text, width);
        expect(words(lines.join(' '))).toEqual(words(text));
        if (longestWord(text) > width) return;
        for (const line of lines) expect(displayWidth(line.trimEnd())).toBeLessThanOrEqual(width);
      }),
    );
  });
});

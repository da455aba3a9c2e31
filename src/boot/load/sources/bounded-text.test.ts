import { expect, test } from 'vitest';
import { memoryInput } from '../input.ts';
import { boundedText } from './bounded-text.ts';

const inPieces = (...pieces: string[]) => ({
  ...memoryInput('x', pieces.join('')),
  chunks: () => pieces.map((piece) => Buffer.from(piece)),
});

test.each([
  [3, { text: 'abc', isCut: true }],
  [5, { text: 'abcde', isCut: false }],
  [9, { text: 'abcde', isCut: false }],
])('boundedText reads up to %d bytes across chunks', (max, expected) => {
  expect(boundedText(inPieces('ab', 'cd', 'e'), max)).toEqual(expected);
});

test('boundedText reads no chunk past the limit', () => {
  const input = {
    ...memoryInput('x', ''),
    *chunks() {
      yield Buffer.from('abcd');
      throw new Error('read on');
    },
  };
  expect(boundedText(input, 3)).toEqual({ text: 'abc', isCut: true });
});

test.each(['utf16le', 'utf8'] as const)('boundedText reads JSON in %s without a byte order mark', (encoding) => {
  const text = '{"kind":"Node"}';
  expect(boundedText(memoryInput('x', Buffer.from(text, encoding)), 1000).text).toBe(text);
  expect(boundedText(memoryInput('x', Buffer.from(text, 'utf16le').swap16()), 1000).text).toBe(text);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, HEAD_BYTES, headText, type Input, inputText, linesOf, memoryInput } from './input.ts';

function inPieces(bytes: Uint8Array, size: number): Input {
  return {
    ...memoryInput('x', bytes),
    *chunks() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    },
  };
}

describe('linesOf', () => {
  it('splits at a line feed, with or without a carriage return; the last line needs no terminator', () => {
    expect([...linesOf(memoryInput('x', 'a\nb\r\n\nc'))]).toEqual(['a', 'b', '', 'c']);
    expect([...linesOf(memoryInput('x', 'a\r\n'))]).toEqual(['a']);
    expect([...linesOf(memoryInput('x', ''))]).toEqual([]);
  });

  it('gives the same lines for any chunk size, even when a chunk splits a character', () => {
    const lines = fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n\ufeff]/g, '')));
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 7 }), (all, size) => {
        const bytes = new TextEncoder().encode(all.map((line) => `${line}\n`).join(''));
        expect([...linesOf(inPieces(bytes, size))]).toEqual(all);
      }),
    );
  });

  it('reads UTF-16 with a byte order mark', () => {
    const bytes = Buffer.from('\ufeffa\r\nb', 'utf16le');
    expect([...linesOf(memoryInput('x', bytes))]).toEqual(['a', 'b']);
  });
});

describe('inputText', () => {
  it.each([
    ['UTF-8', Buffer.from('\ufeffé')],
    ['UTF-16 little endian', Buffer.from('\ufeffé', 'utf16le')],
    ['UTF-16 big endian', Buffer.from('\ufeffé', 'utf16le').swap16()],
  ])('decodes %s', (_, bytes) => {
    expect(inputText(memoryInput('x', bytes))).toBe('é');
  });

  it('replaces invalid UTF-8 with a replacement character', () => {
    expect(decodeText(Uint8Array.of(0x61, 0xc3, 0x62))).toBe('a\ufffdb');
  });

  it('decodes only the head to recognise an input, and caches it', () => {
    const input = memoryInput('x', 'a'.repeat(HEAD_BYTES + 5));
    expect(headText(input)).toHaveLength(HEAD_BYTES);
    (input.head as Uint8Array).fill(0);
    expect(headText(input)).toBe('a'.repeat(HEAD_BYTES));
  });
});

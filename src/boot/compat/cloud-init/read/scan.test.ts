import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Input, memoryInput } from '../../../load/input.ts';
import { lineNumberAt, linesWith } from './scan.ts';

const MARKERS = ['start: ', 'finish: '];

function inChunks(text: string, size: number): Input {
  const bytes = Buffer.from(text);
  return {
    name: 'chunked',
    head: bytes,
    *chunks() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    },
    bytes: () => bytes,
  };
}

describe('linesWith', () => {
  it('gives the same lines for any chunk size', () => {
    const piece = fc.constantFrom('start: ', 'finish: ', 'x', 'sta', 'rt: ', 'ü', '\n', '\n', '𝕏', ' ');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (pieces, size) => {
        const text = pieces.join('');
        const expected = text.split('\n').filter((line) => MARKERS.some((marker) => line.includes(marker)));
        expect([...linesWith(inChunks(text, size), MARKERS)].map((line) => line.text)).toEqual(expected);
      }),
    );
  });

  it('splits at every line terminator of the real tool', () => {
    const text = 'start: a\rstart: b\r\nstart: c\u2028nothing\x0bfinish: d';
    const lines = [...linesWith(memoryInput('odd', text), MARKERS)].map((line) => line.text);
    expect(lines).toEqual(['start: a', 'start: b', 'start: c', 'finish: d']);
  });

  it('finds lines in UTF-16, with numbers from 1', () => {
    const input = memoryInput('utf16', Buffer.from('\ufeffone\ntwo start: x\n', 'utf16le'));
    const [line] = [...linesWith(input, MARKERS)];
    expect(line!.text).toBe('two start: x');
    expect(lineNumberAt(input, line!.offset)).toBe(2);
  });

  it('finds lines in a file with one very long line and across many blocks', () => {
    const long = `${'x'.repeat(300_000)}start: end`;
    expect([...linesWith(inChunks(long, 7000), MARKERS)]).toHaveLength(1);
    const many = inChunks(`${'filler\n'.repeat(30_000)}start: here\n${'filler\n'.repeat(30_000)}`, 100_000);
    const [line] = [...linesWith(many, MARKERS)];
    expect(lineNumberAt(many, line!.offset)).toBe(30_001);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byPiece, endOf, filledRanges, missingRanges, PAGE_BYTES, type PageRange } from './pages.ts';

const PIECE = 4 << 20;

describe('ranges', () => {
  const pages = fc.array(fc.boolean(), { maxLength: 300 });
  const bufferOf = (marks: readonly boolean[]) => {
    const buffer = Buffer.alloc(marks.length * PAGE_BYTES);
    for (const [page, isFilled] of marks.entries()) if (isFilled) buffer[page * PAGE_BYTES + 17] = 1;
    return buffer;
  };

  it('cover every page that is not empty, in order and without overlap', () => {
    fc.assert(
      fc.property(pages, fc.nat(8), (marks, at) => {
        const offset = at * PIECE;
        const ranges = filledRanges(bufferOf(marks), offset);
        const isIn = (page: number) =>
          ranges.some(
            (range) => range.offset <= offset + page * PAGE_BYTES && endOf(range) > offset + page * PAGE_BYTES,
          );
        for (const [page, isFilled] of marks.entries()) if (isFilled) expect(isIn(page)).toBe(true);
        for (const [i, range] of ranges.entries())
          expect(range.offset).toBeGreaterThanOrEqual(i ? endOf(ranges[i - 1]!) : 0);
        for (const { offset: from, bytes } of ranges) expect([from % PAGE_BYTES, bytes % PAGE_BYTES]).toEqual([0, 0]);
      }),
    );
  });

  it('are split at piece boundaries without loss', () => {
    const rangeAt = fc.record({ offset: fc.nat(50), bytes: fc.integer({ min: 1, max: 30 }) });
    fc.assert(
      fc.property(fc.array(rangeAt), fc.integer({ min: 1, max: 9 }), (ranges, pieceBytes) => {
        const pieces = byPiece(ranges, pieceBytes);
        for (const [piece, parts] of pieces)
          for (const part of parts) {
            expect(part.offset).toBeGreaterThanOrEqual(piece * pieceBytes);
            expect(endOf(part)).toBeLessThanOrEqual((piece + 1) * pieceBytes);
          }
        const sum = (parts: readonly PageRange[]) => parts.reduce((total, { bytes }) => total + bytes, 0);
        expect(sum([...pieces.values()].flat())).toBe(sum(ranges));
      }),
    );
  });

  it('that are missing, plus the present ones, cover everything', () => {
    const rangeAt = fc.record({ offset: fc.nat(30), bytes: fc.integer({ min: 1, max: 10 }) });
    const cells = (ranges: readonly PageRange[]) =>
      new Set(ranges.flatMap(({ offset, bytes }) => Array.from({ length: bytes }, (_, i) => offset + i)));
    fc.assert(
      fc.property(fc.array(rangeAt), fc.array(rangeAt), (wanted, there) => {
        const missing = cells(missingRanges(wanted, there));
        const present = cells(there);
        expect([...missing].sort((a, b) => a - b)).toEqual(
          [...cells(wanted)].filter((cell) => !present.has(cell)).sort((a, b) => a - b),
        );
      }),
    );
  });
});

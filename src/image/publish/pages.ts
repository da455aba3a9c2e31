// image/publish/pages.ts: which parts of a disk contain data, and which of them are missing in a blob? Pure; a page has 512 bytes.

export interface PageRange {
  offset: number;
  bytes: number;
}

export const PAGE_BYTES = 512;
/** The usual block size of a file system: empty parts are detected with this granularity. */
const GRAIN_BYTES = 4096;
/** Sending a shorter empty gap costs less than another request. */
const GAP_BYTES = 64 << 10;
const EMPTY = Buffer.alloc(GRAIN_BYTES);

/** The filled ranges of a piece that begins at offset `at` of the disk. `at` must be a multiple of the page size. */
export function filledRanges(piece: Buffer, at: number): PageRange[] {
  const ranges: PageRange[] = [];
  for (let from = 0; from < piece.length; from += GRAIN_BYTES) {
    const grain = piece.subarray(from, from + GRAIN_BYTES);
    if (grain.equals(EMPTY.subarray(0, grain.length))) continue;
    const last = ranges.at(-1);
    const gap = last ? at + from - endOf(last) : Number.POSITIVE_INFINITY;
    if (last && gap < GAP_BYTES) last.bytes = at + from + grain.length - last.offset;
    else ranges.push({ offset: at + from, bytes: grain.length });
  }
  return ranges;
}

/** The parts of `wanted` that are not in `there`, in order. Runs in one pass, because a disk may have many thousands of ranges. */
export function missingRanges(wanted: readonly PageRange[], there: readonly PageRange[]): PageRange[] {
  const missing: PageRange[] = [];
  const parts = inOrder(there);
  let next = 0;
  for (const range of inOrder(wanted)) {
    let from = range.offset;
    while (next < parts.length && endOf(parts[next]!) <= from) next++;
    for (let at = next; at < parts.length && parts[at]!.offset < endOf(range); at++) {
      const part = parts[at]!;
      if (part.offset > from) missing.push({ offset: from, bytes: part.offset - from });
      from = Math.max(from, endOf(part));
    }
    if (from < endOf(range)) missing.push({ offset: from, bytes: endOf(range) - from });
  }
  return missing;
}

/** Splits ranges at piece boundaries and groups them by the number of their piece. */
export function byPiece(ranges: readonly PageRange[], pieceBytes: number): Map<number, PageRange[]> {
  const pieces = new Map<number, PageRange[]>();
  for (const range of ranges) {
    for (let offset = range.offset; offset < endOf(range); ) {
      const piece = Math.floor(offset / pieceBytes);
      const end = Math.min(endOf(range), (piece + 1) * pieceBytes);
      const known = pieces.get(piece) ?? [];
      known.push({ offset, bytes: end - offset });
      pieces.set(piece, known);
      offset = end;
    }
  }
  return pieces;
}

function inOrder(ranges: readonly PageRange[]): PageRange[] {
  return ranges.toSorted((a, b) => a.offset - b.offset);
}

export function endOf({ offset, bytes }: PageRange): number {
  return offset + bytes;
}

// boot/compat/cloud-init/read/scan.ts: which lines of a log contain one of these markers? Searches bytes, not lines: nine in ten lines of a
// typical log have no event, and splitting and decoding them would be slow.
import { decodeText, type Input } from '../../../load/input.ts';

export interface MatchedLine {
  text: string;
  /** The byte offset of the physical line; `lineNumberAt` converts it to a line number when a message needs one. */
  offset: number;
}

export interface Block {
  bytes: Buffer;
  offset: number;
}

export function* linesWith(input: Input, markers: readonly string[]): Generator<MatchedLine> {
  for (const block of blocksOf(input)) {
    const found: MatchedLine[] = [];
    visitLines(block, markers, (text, offset) => found.push({ text, offset }));
    yield* found;
  }
}

/** The input in blocks that end with a newline (except perhaps the last one). */
export function* blocksOf(input: Input): Generator<Block> {
  if (isUtf16(input.head)) {
    yield { bytes: Buffer.from(decodeText(input.bytes())), offset: 0 };
    return;
  }
  let offset = 0;
  let carried: Buffer[] = []; // pieces, not one growing buffer: a file without newlines must not be copied repeatedly
  let carriedBytes = 0;
  for (const chunk of input.chunks()) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    while (from < bytes.length) {
      const end = cutAt(bytes, from, carriedBytes);
      const piece = bytes.subarray(from, end === undefined ? from + BLOCK_BYTES : end);
      from += piece.length;
      if (end === undefined) {
        carried.push(piece);
        carriedBytes += piece.length;
        continue;
      }
      const block = carried.length === 0 ? piece : Buffer.concat([...carried, piece]);
      yield { bytes: block, offset };
      offset += block.length;
      carried = [];
      carriedBytes = 0;
    }
  }
  if (carried.length > 0) yield { bytes: Buffer.concat(carried), offset };
}

/** The end of the next block; undefined if no line ends within BLOCK_BYTES. With carried bytes, the end of the first line. */
function cutAt(bytes: Buffer, from: number, carriedBytes: number): number | undefined {
  const reach = bytes.subarray(from, from + BLOCK_BYTES);
  const newline = carriedBytes > 0 ? reach.indexOf(NEWLINE) : reach.lastIndexOf(NEWLINE);
  if (newline >= 0) return from + newline + 1;
  return carriedBytes > LONGEST_LINE ? from + reach.length : undefined;
}

/** Small enough that the garbage collector frees a block's text in the young generation. */
const BLOCK_BYTES = 1 << 16;
/** A longer line is not a log line, and is split. */
const LONGEST_LINE = 1 << 26;

/** Like linesWith for one block, with a callback instead of a generator: this is the innermost loop. */
export function visitLines(
  { bytes, offset }: Block,
  markers: readonly string[],
  visit: (text: string, offset: number) => void,
): void {
  // One character per byte, so positions in the text are positions in the bytes. One pass with a pattern of all markers is
  // faster than one pass per marker.
  const text = bytes.toString('latin1');
  const pattern = patternOf(markers);
  pattern.lastIndex = 0;
  while (pattern.test(text)) {
    const hit = pattern.lastIndex - 1; // the marker's last character, which is in its line
    const start = text.lastIndexOf('\n', hit) + 1;
    const newline = text.indexOf('\n', hit);
    const end = newline < 0 ? bytes.length : newline;
    const line = bytes.toString('utf8', start, end); // copy: a slice of `text` would keep the whole text in memory
    if (!ODD_LINE_END.test(line)) visit(line, offset + start);
    else {
      for (const part of line.split(ODD_LINE_END)) {
        if (markers.some((marker) => part.includes(marker))) visit(part, offset + start);
      }
    }
    pattern.lastIndex = end;
  }
}

function patternOf(markers: readonly string[]): RegExp {
  const known = PATTERNS.get(markers);
  if (known) return known;
  const pattern = new RegExp(markers.map((marker) => marker.replace(/[.[\]]/g, '\\$&')).join('|'), 'g');
  PATTERNS.set(markers, pattern);
  return pattern;
}

/** Cached: the engine optimises a pattern that is used again. */
const PATTERNS = new WeakMap<readonly string[], RegExp>();

/** Computed only when a message needs it: counting lines while scanning would cost more than the scan. */
export function lineNumberAt(input: Input, target: number): number {
  let line = 1;
  for (const { bytes, offset } of blocksOf(input)) {
    for (let at = bytes.indexOf(NEWLINE); at >= 0 && offset + at < target; at = bytes.indexOf(NEWLINE, at + 1)) line++;
    if (offset + bytes.length > target) break;
  }
  return line;
}

export function isUtf16(head: Uint8Array): boolean {
  return (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
}

const NEWLINE = 0x0a;
/** Other characters that end a line for cloud-init (Python's splitlines). */
const ODD_LINE_END = /[\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

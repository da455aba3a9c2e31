// boot/load/sources/bounded-text.ts: the text of an input whose kind must be read whole. Nothing of these kinds is larger than
// the bound, and a string cannot be as long as a file can.
import { decodeText, type Input } from '../input.ts';

export function boundedText(input: Input, maxBytes: number): { text: string; isCut: boolean } {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (const chunk of input.chunks()) {
    pieces.push(chunk.subarray(0, maxBytes - size));
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return { text: decodeText(withByteOrderMark(Buffer.concat(pieces))), isCut: size > maxBytes };
}

/** JSON and YAML begin with an ASCII character: a NUL beside it is UTF-16 whose writer left out the mark. */
function withByteOrderMark(bytes: Buffer): Uint8Array {
  if (bytes.length < 2 || (bytes[0] === 0) === (bytes[1] === 0)) return bytes;
  return Buffer.concat([bytes[1] === 0 ? Buffer.of(0xff, 0xfe) : Buffer.of(0xfe, 0xff), bytes]);
}

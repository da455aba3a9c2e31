// boot/load/sources/bounded-text.ts: reads a whole input as text, up to a limit. Real inputs of these kinds are smaller
// than the limit, and a JavaScript string cannot hold every file.
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

/** JSON and YAML start with an ASCII character, so a NUL next to it means UTF-16 without a byte order mark. */
function withByteOrderMark(bytes: Buffer): Uint8Array {
  if (bytes.length < 2 || (bytes[0] === 0) === (bytes[1] === 0)) return bytes;
  return Buffer.concat([bytes[1] === 0 ? Buffer.of(0xff, 0xfe) : Buffer.of(0xfe, 0xff), bytes]);
}

// boot/load/input.ts: what does a source read? Bytes with a name, regardless of where they came from.
import { UserError } from '../../base/errors.ts';

export interface Input {
  /** For messages only: sources recognise inputs by content, never by name. */
  readonly name: string;
  /** The first bytes (up to HEAD_BYTES), enough to recognise the kind. */
  readonly head: Uint8Array;
  /** Streams the content, so that a log of gigabytes need not fit in memory. Can be called repeatedly. */
  chunks(): Iterable<Uint8Array>;
  bytes(): Uint8Array;
}

export const HEAD_BYTES = 64 * 1024;

export function memoryInput(name: string, content: string | Uint8Array): Input {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return {
    name,
    head: bytes.subarray(0, HEAD_BYTES),
    chunks: () => [bytes],
    bytes: () => bytes,
  };
}

/** `chunks` gives the same bytes at every call. */
export function streamInput(name: string, chunks: () => Iterable<Uint8Array>): Input {
  let head: Uint8Array | undefined;
  return {
    name,
    get head() {
      head ??= startOf(chunks(), HEAD_BYTES);
      return head;
    },
    chunks,
    bytes: () => wholeOf(name, chunks()),
  };
}

/** The first bytes, copied. */
export function startOf(chunks: Iterable<Uint8Array>, size: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (const chunk of chunks) {
    pieces.push(chunk.subarray(0, size - length));
    length += chunk.length;
    if (length >= size) break;
  }
  return Buffer.concat(pieces);
}

/** Kinds that are read as one document are far smaller. */
const MAX_WHOLE_BYTES = 1 << 30;

function wholeOf(name: string, chunks: Iterable<Uint8Array>): Uint8Array {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (const chunk of chunks) {
    pieces.push(chunk);
    length += chunk.length;
    if (length > MAX_WHOLE_BYTES) {
      throw new UserError(`cannot read ${name} as one document: it has more than ${MAX_WHOLE_BYTES >> 20} MiB`, {
        code: 'boot/input-too-large',
        next: 'pass only the part about the boot in question',
      });
    }
  }
  return Buffer.concat(pieces, length);
}

/** Invalid UTF-8 becomes U+FFFD. A byte order mark selects the encoding, UTF-16 included. */
export function inputText(input: Input): string {
  return decodeText(input.bytes());
}

export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
}

const headTexts = new WeakMap<Input, string>();

/** Cached: every source reads the head of every input. */
export function headText(input: Input): string {
  const known = headTexts.get(input);
  if (known !== undefined) return known;
  const text = decodeText(input.head);
  headTexts.set(input, text);
  return text;
}

/** A longer line is no log line. It is split, so that a file without line ends is not held in memory as one line. */
const LONGEST_LINE = 1 << 24;

/** Lines without their terminator (`\n` or `\r\n`), decoded chunk by chunk. */
export function* linesOf(input: Input): Generator<string> {
  const decoder = new TextDecoder(encodingOf(input.head));
  let rest = '';
  for (const chunk of input.chunks()) {
    for (let from = 0; from < chunk.length; from += MOST_AT_ONCE) {
      const text = decoder.decode(chunk.subarray(from, from + MOST_AT_ONCE), { stream: true });
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
      if (rest.length <= LONGEST_LINE) continue;
      yield rest;
      rest = '';
    }
  }
  rest += decoder.decode();
  if (rest !== '') yield rest.endsWith('\r') ? rest.slice(0, -1) : rest;
}

/** Lines of a larger piece would live long enough to leave the young generation. */
const MOST_AT_ONCE = 1 << 16;

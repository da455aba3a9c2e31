// boot/load/input.ts: what does a source read? Bytes with a name, regardless of where they came from.

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

/** Invalid UTF-8 becomes U+FFFD. A byte order mark selects the encoding, UTF-16 included. */
export function inputText(input: Input): string {
  return decodeText(input.bytes());
}

export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder('utf-8').decode(bytes);
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

/** Lines without their terminator (`\n` or `\r\n`), decoded chunk by chunk. */
export function* linesOf(input: Input): Generator<string> {
  if (input.head[0] === 0xff || input.head[0] === 0xfe) {
    yield* inputText(input).split(/\r?\n/);
    return;
  }
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  for (const chunk of input.chunks()) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest.endsWith('\r') ? rest.slice(0, -1) : rest;
}

// boot/load/input.ts: what does a source get to read? Bytes with a name; where they came from is not its business.

export interface Input {
  /** For messages only: kinds are recognised by content, never by this. */
  readonly name: string;
  /** The first bytes (up to HEAD_BYTES), enough to recognise the kind. */
  readonly head: Uint8Array;
  /** Pieces in order, so that a log of gigabytes need not fit in memory. May be called again. */
  chunks(): Iterable<Uint8Array>;
  /** Everything at once. */
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

/** The whole input as text; what is not UTF-8 becomes U+FFFD, a byte order mark (UTF-16 included) is honoured. */
export function inputText(input: Input): string {
  return decodeText(input.bytes());
}

export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder('utf-8').decode(bytes);
}

const headTexts = new WeakMap<Input, string>();

/** The head as text, decoded once however many sources ask. */
export function headText(input: Input): string {
  const known = headTexts.get(input);
  if (known !== undefined) return known;
  const text = decodeText(input.head);
  headTexts.set(input, text);
  return text;
}

/** Lines without their end (`\n` or `\r\n`), decoded piece by piece. */
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

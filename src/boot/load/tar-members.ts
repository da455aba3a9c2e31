// boot/load/tar-members.ts: which files does a tar archive contain? Reads it once, chunk by chunk.

export interface TarMember {
  name: string;
  /** Of its content, in the archive. */
  offset: number;
  /** As the archive's header says. */
  size: number;
  /** As much of the content as `keepBytes` says; less if the archive is truncated. */
  start: Uint8Array;
}

export interface TarOptions {
  /** How much of this member's content to keep. */
  keepBytes(size: number): number;
  /** The archive ends inside this file. */
  onCut?(name: string): void;
}

const BLOCK = 512;

export function isTar(head: Uint8Array): boolean {
  return head.length >= BLOCK && latin1(head, 257, 5) === 'ustar';
}

/** Regular files in order. Ends at the end of the archive, where it is cut, or at the first block that is not a header. */
export function* tarMembers(chunks: Iterable<Uint8Array>, { keepBytes, onCut }: TarOptions): Generator<TarMember> {
  const reader = new Reader(chunks);
  let longName: string | undefined;
  let pax: { path?: string; size?: number } = {};
  for (;;) {
    const header = reader.take(BLOCK);
    if (header.length < BLOCK || header[0] === 0 || !isHeader(header)) return;
    const type = String.fromCharCode(header[156] ?? 0);
    const size = pax.size ?? sizeIn(header);
    if (type === 'x' || type === 'L') {
      const text = utf8(reader.take(Math.min(size, LONGEST_HEADER)));
      if (type === 'L') longName = text.replace(/\0.*$/s, '');
      else pax = paxFields(text);
      reader.skip(Math.max(0, size - LONGEST_HEADER) + padding(size));
      continue;
    }
    const name = longName ?? pax.path ?? nameIn(header);
    longName = undefined;
    pax = {};
    const offset = reader.offset;
    const isFile = type === '0' || type === '\0' || type === '7';
    // Links and devices have no content, whatever their size field says.
    const contentBytes = isFile || type === 'g' || type === 'K' || type === 'S' ? size : 0;
    const start = isFile ? reader.take(Math.min(contentBytes, keepBytes(size))) : new Uint8Array();
    if (isFile) yield { name: name.replace(/^(?:\.?\/)+/, ''), offset, size, start };
    reader.skip(offset + contentBytes - reader.offset);
    if (reader.offset < offset + contentBytes) return onCut?.(name);
    reader.skip(padding(contentBytes));
  }
}

/** A path has at most 4,096 bytes. */
const LONGEST_HEADER = 1 << 16;

const padding = (size: number) => (BLOCK - (size % BLOCK)) % BLOCK;

/** The bytes of a member, from a second pass over its archive. */
export function* sliceOf(chunks: Iterable<Uint8Array>, offset: number, size: number): Generator<Uint8Array> {
  let at = 0;
  const end = offset + size;
  for (const chunk of chunks) {
    const from = Math.max(0, offset - at);
    const to = Math.min(chunk.length, end - at);
    at += chunk.length;
    if (to > from) yield chunk.subarray(from, to);
    if (at >= end) return;
  }
}

class Reader {
  readonly #chunks: Iterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();
  offset = 0;

  constructor(chunks: Iterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.iterator]();
  }

  /** A copy of the next bytes; fewer at the end. */
  take(size: number): Uint8Array {
    const pieces: Uint8Array[] = [];
    for (let missing = size; missing > 0; ) {
      const piece = this.#next(missing);
      if (!piece) break;
      pieces.push(piece);
      missing -= piece.length;
    }
    return Buffer.concat(pieces);
  }

  skip(size: number): void {
    for (let missing = size; missing > 0; ) {
      const piece = this.#next(missing);
      if (!piece) return;
      missing -= piece.length;
    }
  }

  #next(most: number): Uint8Array | undefined {
    while (this.#rest.length === 0) {
      const { done, value } = this.#chunks.next();
      if (done) return undefined;
      this.#rest = value;
    }
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(piece.length);
    this.offset += piece.length;
    return piece;
  }
}

/** The sum of the header's bytes, with blanks in place of the sum itself; old programs summed signed bytes. */
function isHeader(header: Uint8Array): boolean {
  const expected = Number.parseInt(latin1(header, 148, 8).replace(/[\0 ]+$/, ''), 8);
  let sum = 0;
  let signed = 0;
  for (let i = 0; i < BLOCK; i++) {
    const byte = i >= 148 && i < 156 ? 0x20 : header[i]!;
    sum += byte;
    signed += byte > 127 ? byte - 256 : byte;
  }
  return expected === sum || expected === signed;
}

/** Octal; large sizes are a binary number whose first bit is set. */
function sizeIn(header: Uint8Array): number {
  if ((header[124]! & 0x80) === 0) return Number.parseInt(latin1(header, 124, 12), 8) || 0;
  let size = 0;
  for (let i = 125; i < 136; i++) size = size * 256 + header[i]!;
  return Number.isSafeInteger(size) ? size : Number.MAX_SAFE_INTEGER - BLOCK;
}

/** POSIX splits a long name in two; GNU tar (`ustar  `) uses the second field for other things. */
function nameIn(header: Uint8Array): string {
  const name = fieldIn(header, 0, 100);
  const prefix = latin1(header, 257, 6) === 'ustar\0' ? fieldIn(header, 345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** `27 path=some/long/name\n` */
function paxFields(text: string): { path?: string; size?: number } {
  const path = /(?:^|\n)\d+ path=([^\n]*)/.exec(text)?.[1];
  const size = Number(/(?:^|\n)\d+ size=(\d{1,15})\n/.exec(text)?.[1] ?? Number.NaN);
  return { ...(path !== undefined && { path }), ...(Number.isSafeInteger(size) && { size }) };
}

function fieldIn(bytes: Uint8Array, from: number, length: number): string {
  return utf8(bytes.subarray(from, from + length)).replace(/\0.*$/s, '');
}

const utf8 = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');
const latin1 = (bytes: Uint8Array, from: number, length: number) =>
  Buffer.from(bytes.subarray(from, from + length)).toString('latin1');

// boot/load/cut-tar.ts: is this tar archive truncated? If so, shorten its last member to the bytes present, so that a parser accepts it.

const BLOCK = 512;
const SIZE_AT = 124;
const SIZE_DIGITS = 11;

/** Edits the header of the truncated member in place and returns its name; undefined for a complete archive. */
export function closeCutTar(archive: Uint8Array): string | undefined {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  for (let at = 0; at + BLOCK <= bytes.length && bytes[at] !== 0; ) {
    const size = Number.parseInt(bytes.toString('latin1', at + SIZE_AT, at + SIZE_AT + SIZE_DIGITS), 8) || 0;
    const available = bytes.length - at - BLOCK;
    if (size > available) {
      bytes.write(available.toString(8).padStart(SIZE_DIGITS, '0'), at + SIZE_AT, 'latin1');
      return bytes.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return undefined;
}

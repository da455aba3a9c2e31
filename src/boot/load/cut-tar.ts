// boot/load/cut-tar.ts: does this archive end too soon? Then its last member is shortened to what is there, so that a reader can go on.

const BLOCK = 512;
const SIZE_AT = 124;
const SIZE_DIGITS = 11;

/** Changes the header of the cut member in place, and gives its name; nothing when the archive is whole. */
export function closeCutTar(archive: Uint8Array): string | undefined {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  for (let at = 0; at + BLOCK <= bytes.length && bytes[at] !== 0; ) {
    const size = Number.parseInt(bytes.toString('latin1', at + SIZE_AT, at + SIZE_AT + SIZE_DIGITS), 8) || 0;
    const there = bytes.length - at - BLOCK;
    if (size > there) {
      bytes.write(there.toString(8).padStart(SIZE_DIGITS, '0'), at + SIZE_AT, 'latin1');
      return bytes.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return undefined;
}

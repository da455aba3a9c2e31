// node/build/elf.ts: how is a note added to a Linux program, so that its code finds the note at run time? Node.js single executables find
// their script this way, through the program headers.

const HEADER_BYTES = 64;
const ENTRY_BYTES = 56;
const PT_LOAD = 1;
const PT_NOTE = 4;
const PT_PHDR = 6;
const READABLE = 4;
/** The largest page size of supported machines, and the alignment that linkers use for them. */
const PAGE_BYTES = 65_536;

interface Segment {
  type: number;
  flags: number;
  offset: number;
  address: number;
  fileBytes: number;
  memoryBytes: number;
  align: number;
}

/**
 * Drops what no loader reads (symbols, debug information, the section table) and appends the program headers and the note. Both have
 * the same offset in memory as in the file, because kernels before 5.18 assume that when they pass the address of the headers to a
 * program.
 */
export function withElfNote(program: Buffer, note: { name: string; content: Buffer }): Buffer {
  const segments = readSegments(program);
  const loaded = segments.filter(({ type }) => type === PT_LOAD);
  const base = Math.min(...loaded.map(({ address, offset }) => address - offset));
  const kept = Math.max(...segments.map(({ offset, fileBytes }) => offset + fileBytes));
  const memoryEnd = Math.max(...loaded.map(({ address, memoryBytes }) => address + memoryBytes));
  const offset = roundUp(Math.max(kept, memoryEnd - base), PAGE_BYTES);
  const tableBytes = (segments.length + 2) * ENTRY_BYTES;
  const noteBytes = renderNote(note);
  const place = (at: number, bytes: number) => ({
    flags: READABLE,
    offset: offset + at,
    address: base + offset + at,
    fileBytes: bytes,
    memoryBytes: bytes,
  });
  const added: Segment[] = [
    { type: PT_LOAD, ...place(0, tableBytes + noteBytes.length), align: PAGE_BYTES },
    { type: PT_NOTE, ...place(tableBytes, noteBytes.length), align: 4 },
  ];
  const own = segments.map((segment) => (segment.type === PT_PHDR ? { ...segment, ...place(0, tableBytes) } : segment));

  const made = Buffer.alloc(offset + tableBytes + noteBytes.length);
  program.copy(made, 0, 0, kept);
  made.writeBigUInt64LE(BigInt(offset), 32); // offset of the program headers
  made.writeBigUInt64LE(0n, 40); // no section headers
  made.writeUInt16LE(own.length + added.length, 56);
  made.writeUInt32LE(0, 60);
  // After the existing segments: PT_LOAD entries must be in the order of their addresses.
  for (const [index, segment] of [...own, ...added].entries()) {
    writeSegment(made, offset + index * ENTRY_BYTES, segment);
  }
  noteBytes.copy(made, offset + tableBytes);
  return made;
}

function readSegments(program: Buffer): Segment[] {
  const isElf64 = program.length >= HEADER_BYTES && program.readUInt32BE(0) === 0x7f454c46 && program[4] === 2;
  if (!isElf64 || program[5] !== 1) throw new Error('not a 64-bit little-endian ELF program');
  const at = Number(program.readBigUInt64LE(32));
  const count = program.readUInt16LE(56);
  if (program.readUInt16LE(54) !== ENTRY_BYTES || at + count * ENTRY_BYTES > program.length) {
    throw new Error('the program headers of this ELF program are missing or have an unknown size');
  }
  const segments = Array.from({ length: count }, (_, index) => readSegment(program, at + index * ENTRY_BYTES));
  if (!segments.some(({ type }) => type === PT_LOAD)) throw new Error('this ELF program has no segments to load');
  return segments;
}

function readSegment(program: Buffer, at: number): Segment {
  const long = (field: number) => Number(program.readBigUInt64LE(at + field));
  return {
    type: program.readUInt32LE(at),
    flags: program.readUInt32LE(at + 4),
    offset: long(8),
    address: long(16),
    fileBytes: long(32),
    memoryBytes: long(40),
    align: long(48),
  };
}

function writeSegment(to: Buffer, at: number, segment: Segment): void {
  const { type, flags, offset, address, fileBytes, memoryBytes, align } = segment;
  to.writeUInt32LE(type, at);
  to.writeUInt32LE(flags, at + 4);
  const longs = [offset, address, address, fileBytes, memoryBytes, align];
  for (const [index, value] of longs.entries()) to.writeBigUInt64LE(BigInt(value), at + 8 + index * 8);
}

/** Sizes of name and content, an unused type, then name and content, each padded to four bytes. */
function renderNote({ name, content }: { name: string; content: Buffer }): Buffer {
  const nameBytes = Buffer.from(`${name}\0`);
  const head = Buffer.alloc(12);
  head.writeUInt32LE(nameBytes.length, 0);
  head.writeUInt32LE(content.length, 4);
  const padded = (bytes: Buffer) => [bytes, Buffer.alloc(roundUp(bytes.length, 4) - bytes.length)];
  return Buffer.concat([head, ...padded(nameBytes), ...padded(content)]);
}

function roundUp(value: number, to: number): number {
  return Math.ceil(value / to) * to;
}

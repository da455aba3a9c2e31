import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withElfNote } from './elf.ts';

const PAGE = 4096;

interface Part {
  address: number;
  offset: number;
  fileBytes: number;
  memoryBytes: number;
}

/** A program that loads `parts`, each filled with its number, with headers after the first and garbage after the last. */
function program(parts: readonly Part[], base: number): Buffer {
  const end = Math.max(...parts.map(({ offset, fileBytes }) => offset + fileBytes));
  const bytes = Buffer.alloc(end + 100, 0xee);
  for (const [index, { offset, fileBytes }] of parts.entries()) bytes.fill(index + 1, offset, offset + fileBytes);
  bytes.write('7f454c46020101', 'hex');
  bytes.writeBigUInt64LE(64n, 32);
  bytes.writeBigUInt64LE(BigInt(end), 40);
  bytes.writeUInt16LE(56, 54);
  bytes.writeUInt16LE(parts.length + 1, 56);
  bytes.writeUInt32LE(7, 60);
  const tableBytes = (parts.length + 1) * 56;
  const header = { address: base + 64, offset: 64, fileBytes: tableBytes, memoryBytes: tableBytes };
  for (const [index, part] of [header, ...parts].entries()) {
    const at = 64 + index * 56;
    bytes.writeUInt32LE(index === 0 ? 6 : 1, at);
    bytes.writeUInt32LE(index === 0 ? 4 : 5, at + 4);
    for (const [field, value] of [
      part.offset,
      part.address,
      part.address,
      part.fileBytes,
      part.memoryBytes,
    ].entries()) {
      bytes.writeBigUInt64LE(BigInt(value), at + 8 + 8 * field);
    }
    bytes.writeBigUInt64LE(BigInt(PAGE), at + 48);
  }
  return bytes;
}

function headersOf(bytes: Buffer) {
  const at = Number(bytes.readBigUInt64LE(32));
  return Array.from({ length: bytes.readUInt16LE(56) }, (_, index) => {
    const long = (field: number) => Number(bytes.readBigUInt64LE(at + index * 56 + field));
    return {
      type: bytes.readUInt32LE(at + index * 56),
      flags: bytes.readUInt32LE(at + index * 56 + 4),
      offset: long(8),
      address: long(16),
      fileBytes: long(32),
      memoryBytes: long(40),
    };
  });
}

/** The memory of the loaded program: the bytes at an address. */
function memoryOf(bytes: Buffer): (address: number, length: number) => Buffer {
  const loaded = headersOf(bytes).filter(({ type }) => type === 1);
  return (address, length) => {
    const part = loaded.find(
      (other) => other.address <= address && address + length <= other.address + other.fileBytes,
    );
    if (!part) throw new Error(`nothing is loaded at ${address}`);
    return bytes.subarray(part.offset + address - part.address, part.offset + address - part.address + length);
  };
}

const programs = fc
  .record({
    base: fc.constantFrom(0, 0x400000),
    sizes: fc.array(
      fc.record({ fileBytes: fc.integer({ min: 0, max: 9000 }), more: fc.integer({ min: 0, max: 200_000 }) }),
      {
        minLength: 1,
        maxLength: 5,
      },
    ),
  })
  .map(({ base, sizes }) => {
    let [offset, address] = [0, base];
    const parts = sizes.map(({ fileBytes, more }, index) => {
      const held = index === 0 ? fileBytes + PAGE : fileBytes; // the first has the headers
      const part = { address, offset, fileBytes: held, memoryBytes: held + more };
      offset += Math.ceil(held / PAGE) * PAGE;
      address += Math.ceil((held + more) / PAGE) * PAGE;
      return part;
    });
    return { base, parts };
  });

describe('withElfNote', () => {
  it('adds a note that the program headers locate, and moves nothing else', () => {
    fc.assert(
      fc.property(programs, fc.uint8Array({ maxLength: 5000 }), ({ base, parts }, content) => {
        const before = program(parts, base);
        const made = withElfNote(before, { name: 'A_NOTE', content: Buffer.from(content) });
        const headers = headersOf(made);
        const memory = memoryOf(made);
        for (const { address, offset, fileBytes } of parts) {
          const end = offset + fileBytes;
          const from = Math.max(offset, 64); // the ELF header before it changes
          expect(memory(address + from - offset, end - from)).toEqual(before.subarray(from, end));
        }
        const note = headers.at(-1)!;
        expect(note.type).toBe(4);
        const head = memory(note.address, note.memoryBytes);
        expect([head.readUInt32LE(0), head.readUInt32LE(4)]).toEqual([7, content.length]);
        expect(head.subarray(12, 20).toString()).toBe('A_NOTE\0\0');
        expect(head.subarray(20, 20 + content.length)).toEqual(Buffer.from(content));
        expect(head.length).toBe(20 + Math.ceil(content.length / 4) * 4);
      }),
    );
  });

  it('keeps the headers at the same offset in memory as in the file, and segments in the order of addresses', () => {
    fc.assert(
      fc.property(programs, ({ base, parts }) => {
        const made = withElfNote(program(parts, base), { name: 'A_NOTE', content: Buffer.from('x') });
        const table = Number(made.readBigUInt64LE(32));
        const headers = headersOf(made);
        expect(headers[0]).toMatchObject({ type: 6, offset: table, address: base + table });
        expect(memoryOf(made)(base + table, headers.length * 56)).toEqual(
          made.subarray(table, table + headers.length * 56),
        );
        const loaded = headers.filter(({ type }) => type === 1);
        for (const [index, part] of loaded.entries()) {
          const next = loaded[index + 1];
          if (next) expect(next.address).toBeGreaterThanOrEqual(part.address + part.memoryBytes);
        }
        expect(loaded.at(-1)).toMatchObject({ flags: 4, address: base + loaded.at(-1)!.offset });
      }),
    );
  });

  it('drops everything that is not loaded, including the section table', () => {
    const made = withElfNote(program([{ address: 0, offset: 0, fileBytes: 5000, memoryBytes: 5000 }], 0), {
      name: 'A_NOTE',
      content: Buffer.alloc(0),
    });
    expect(made.readBigUInt64LE(40)).toBe(0n);
    expect(made.readUInt32LE(60)).toBe(0);
    expect(made.includes(Buffer.alloc(50, 0xee))).toBe(false);
  });

  it.each([
    ['an empty file', Buffer.alloc(0)],
    ['a script', Buffer.from(`#!/bin/sh\n${'#'.repeat(100)}`)],
    ['a 32-bit program', Buffer.concat([Buffer.from('7f454c460101', 'hex'), Buffer.alloc(100)])],
    [
      'a program without its headers',
      program([{ address: 0, offset: 0, fileBytes: 500, memoryBytes: 500 }], 0).subarray(0, 100),
    ],
    ['a program that loads nothing', Buffer.concat([Buffer.from('7f454c46020101', 'hex'), emptyHeader()])],
  ])('refuses %s', (_, bytes) => {
    expect(() => withElfNote(bytes, { name: 'A_NOTE', content: Buffer.alloc(1) })).toThrow(/ELF program/);
  });
});

function emptyHeader(): Buffer {
  const rest = Buffer.alloc(57);
  rest.writeUInt16LE(56, 54 - 7);
  return rest;
}

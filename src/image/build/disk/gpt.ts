// image/build/disk/gpt.ts: write a partition table for firmware and Linux (UEFI specification, chapter 5). Bytes only: no tools, no devices, nothing random.
import { crc32 } from 'node:zlib';
import type { DiskExtent } from './disk-layout.ts';

export interface Partition extends DiskExtent {
  /** The partition type GUID. */
  type: string;
  id: string;
  name: string;
  /** Numbers of the attribute bits to set. */
  flags?: readonly number[];
}

export const SECTOR_BYTES = 512;
const ENTRIES = 128;
const ENTRY_BYTES = 128;
const TABLE_SECTORS = (ENTRIES * ENTRY_BYTES) / SECTOR_BYTES;
const HEADER_BYTES = 92;
const MAX_NAME_CHARS = 36;

/** `head` goes to the start of the disk, `tail` to its end. */
export function partitionTable(
  diskBytes: number,
  diskId: string,
  partitions: readonly Partition[],
): { head: Buffer; tail: Buffer } {
  const last = diskBytes / SECTOR_BYTES - 1;
  const table = entriesOf(partitions);
  const header = (self: number, other: number, entries: number) =>
    headerOf({ self, other, entries, diskId, last, tableCrc: crc32(table) });
  return {
    head: Buffer.concat([protectiveMbr(last), header(1, last, 2), table]),
    tail: Buffer.concat([table, header(last, 1, last - TABLE_SECTORS)]),
  };
}

interface Header {
  self: number;
  other: number;
  entries: number;
  last: number;
  diskId: string;
  tableCrc: number;
}

function headerOf({ self, other, entries, last, diskId, tableCrc }: Header): Buffer {
  const header = Buffer.alloc(SECTOR_BYTES);
  header.write('EFI PART', 'latin1');
  header.writeUInt32LE(0x00010000, 8);
  header.writeUInt32LE(HEADER_BYTES, 12);
  for (const [at, sector] of [
    [24, self],
    [32, other],
    [40, 2 + TABLE_SECTORS], // first usable sector
    [48, last - TABLE_SECTORS - 1], // last usable sector
    [72, entries],
  ] as const)
    header.writeBigUInt64LE(BigInt(sector), at);
  guidBytes(diskId).copy(header, 56);
  header.writeUInt32LE(ENTRIES, 80);
  header.writeUInt32LE(ENTRY_BYTES, 84);
  header.writeUInt32LE(tableCrc, 88);
  header.writeUInt32LE(crc32(header.subarray(0, HEADER_BYTES)), 16);
  return header;
}

function entriesOf(partitions: readonly Partition[]): Buffer {
  const table = Buffer.alloc(ENTRIES * ENTRY_BYTES);
  for (const [index, { type, id, name, startBytes, bytes, flags = [] }] of partitions.entries()) {
    const entry = table.subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES);
    guidBytes(type).copy(entry, 0);
    guidBytes(id).copy(entry, 16);
    entry.writeBigUInt64LE(BigInt(startBytes / SECTOR_BYTES), 32);
    entry.writeBigUInt64LE(BigInt((startBytes + bytes) / SECTOR_BYTES - 1), 40);
    entry.writeBigUInt64LE(
      flags.reduce((bits, flag) => bits | (1n << BigInt(flag)), 0n),
      48,
    );
    entry.write(name.slice(0, MAX_NAME_CHARS), 56, 'utf16le');
  }
  return table;
}

/** The protective MBR: programs that do not support GPT see a full disk. */
function protectiveMbr(last: number): Buffer {
  const mbr = Buffer.alloc(SECTOR_BYTES);
  mbr.set([0x00, 0x00, 0x02, 0x00, 0xee, 0xff, 0xff, 0xff], 446);
  mbr.writeUInt32LE(1, 454);
  mbr.writeUInt32LE(Math.min(last, 0xffffffff), 458);
  mbr.set([0x55, 0xaa], 510);
  return mbr;
}

/** The first three groups are little-endian numbers. */
function guidBytes(id: string): Buffer {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  bytes.subarray(0, 4).reverse();
  bytes.subarray(4, 6).reverse();
  bytes.subarray(6, 8).reverse();
  return bytes;
}

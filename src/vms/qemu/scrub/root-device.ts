// vms/qemu/scrub/root-device.ts: which device is the root when the copy is a VM's first disk? Read from the copy's partition table.
import { type FileHandle, open } from 'node:fs/promises';
import { Refused } from '../../../base/failures.ts';

const DISK = '/dev/vda';
const SECTOR = 512;
const MAX_TABLE_BYTES = 1 << 20;

/** `root` is from the version's record: `PARTUUID=…`, or undefined when the disk is one file system. */
export async function rootDevice(disk: string, root: string | undefined): Promise<string> {
  if (root === undefined || root === DISK) return DISK;
  const id = /^PARTUUID=([0-9a-f-]{36})$/i.exec(root)?.[1];
  const ids = id === undefined ? [] : await partitionIds(disk);
  const index = ids.indexOf(id?.toLowerCase() ?? '');
  if (index >= 0) return `${DISK}${index + 1}`;
  throw new Refused(`the copy of the disk has no partition ${root}, which is its root`, 'vms/no-root-partition');
}

/** In partition order; empty without a valid GPT. */
async function partitionIds(disk: string): Promise<string[]> {
  const file = await open(disk);
  try {
    const header = await bytesAt(file, SECTOR, SECTOR);
    if (header.toString('latin1', 0, 8) !== 'EFI PART') return [];
    const [count, size] = [header.readUInt32LE(80), header.readUInt32LE(84)];
    if (size < 128 || count * size > MAX_TABLE_BYTES) return [];
    const table = await bytesAt(file, Number(header.readBigUInt64LE(72)) * SECTOR, count * size);
    return Array.from({ length: Math.floor(table.length / size) }, (_, index) =>
      idIn(table.subarray(index * size + 16, index * size + 32)),
    );
  } finally {
    await file.close();
  }
}

async function bytesAt(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes);
  const { bytesRead } = await file.read(buffer, 0, bytes, at);
  return buffer.subarray(0, Math.max(bytesRead, SECTOR));
}

/** The first three groups of a GUID are little-endian. */
function idIn(bytes: Buffer): string {
  const part = (from: number, to: number, isNumber: boolean) => {
    const copy = Buffer.from(bytes.subarray(from, to));
    return (isNumber ? copy.reverse() : copy).toString('hex');
  };
  return [part(0, 4, true), part(4, 6, true), part(6, 8, true), part(8, 10, false), part(10, 16, false)].join('-');
}

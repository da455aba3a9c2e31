// image/build/disk/own-disk.ts: is a disk standalone? A disk with a backing file would expose, or publish, the content of that file.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { UserError } from '../../../base/errors.ts';

/** Checks `disk.qcow2` or `disk.vhd` of a build and its virtual size. Throws if the disk is anything else. */
export async function requireOwnDisk(file: string, diskBytes: number): Promise<void> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size } = await handle.stat();
    const isVhd = file.endsWith('.vhd');
    const part = Buffer.alloc(isVhd ? FOOTER_BYTES : HEADER_BYTES);
    const { bytesRead } = await handle.read(part, 0, part.length, isVhd ? Math.max(0, size - FOOTER_BYTES) : 0);
    const read = part.subarray(0, bytesRead);
    const problem = isVhd ? vhdProblem(read, size, diskBytes) : qcow2Problem(read, diskBytes);
    if (problem !== undefined) throw refused(file, problem);
  } finally {
    await handle.close();
  }
}

const HEADER_BYTES = 104;
/** No incompatible feature is set: neither "dirty" nor "external data file" nor later ones. */
const CLEAN = 0n;

/** Follows QEMU's specification of the format, docs/interop/qcow2.txt. */
export function qcow2Problem(header: Buffer, diskBytes: number): string | undefined {
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, 4) !== 'QFI\u00fb') return 'is not a qcow2 disk';
  if (header.readUInt32BE(4) !== 3) return 'is a qcow2 disk of another version than 3';
  if (header.readBigUInt64BE(8) !== 0n || header.readUInt32BE(16) !== 0) return 'has a backing file';
  if (header.readBigUInt64BE(24) !== BigInt(diskBytes)) return 'has another size than its build record';
  if (header.readUInt32BE(32) !== 0) return 'is encrypted';
  if (header.readUInt32BE(60) !== 0) return 'contains snapshots';
  if (header.readBigUInt64BE(72) !== CLEAN) return 'has an external data file or is damaged';
  return undefined;
}

const FOOTER_BYTES = 512;
const FIXED = 2;

export function vhdProblem(footer: Buffer, fileBytes: number, diskBytes: number): string | undefined {
  if (footer.length < FOOTER_BYTES || footer.toString('latin1', 0, 8) !== 'conectix') return 'is not a VHD';
  if (footer.readUInt32BE(60) !== FIXED) return 'is not a fixed VHD';
  const isSize = footer.readBigUInt64BE(48) === BigInt(diskBytes) && fileBytes === diskBytes + FOOTER_BYTES;
  return isSize ? undefined : 'has another size than its build record';
}

function refused(file: string, problem: string): UserError {
  return new UserError(`${file} ${problem}`, {
    code: 'image/foreign-disk',
    kept: 'Nothing was started or published.',
    next: 'build it again with `headstart image build`, and do not use builds from untrusted sources',
    exitCode: 1,
  });
}

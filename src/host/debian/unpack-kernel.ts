// host/debian/unpack-kernel.ts: extract the kernel (vmlinux) from a bzImage, and check that it boots without firmware.
// Offsets: the kernel's Documentation/arch/x86/boot.rst, "The Real-Mode Kernel Header"; the note: its xen/interface/elfnote.h.
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { RunCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';

/** The caller's texts for the error. */
export interface KernelErrorDetails {
  code: string;
  /** Describes the kernel. */
  what: string;
  kept: string;
  next: string;
}

export interface UnpackKernelDeps {
  run: RunCommand;
  signal?: AbortSignal | undefined;
}

/** Returns the ELF file that QEMU boots directly (PVH). Throws a UserError that says what is not supported. */
export async function unpackKernel(
  bzImage: Uint8Array,
  { run, signal }: UnpackKernelDeps,
  { what, ...refused }: KernelErrorDetails,
): Promise<Buffer> {
  try {
    const { compression, payload } = findPayload(Buffer.from(bzImage));
    const vmlinux = await unpack(compression, payload, run, signal);
    if (hasPvhEntry(vmlinux)) return vmlinux;
    throw new UnsupportedKernel('it has no entry point for booting without firmware (CONFIG_PVH)');
  } catch (error) {
    if (!(error instanceof UnsupportedKernel)) throw error;
    throw new UserError(`${what} cannot be used: ${error.message}`, { ...refused, exitCode: 1 });
  }
}

class UnsupportedKernel extends Error {}

export type KernelCompression = 'lz4' | 'gzip' | 'zstd';

const MAGICS: readonly (readonly [name: string, magic: readonly number[]])[] = [
  ['lz4', [0x02, 0x21, 0x4c, 0x18]],
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['lzma', [0x5d, 0x00, 0x00]],
  ['lzo', [0x89, 0x4c, 0x5a]],
];
/** Node decompresses gzip and zstd; lz4 is a required tool. */
const SUPPORTED: readonly string[] = ['lz4', 'gzip', 'zstd'] satisfies KernelCompression[];

export function findPayload(image: Buffer): { compression: KernelCompression; payload: Buffer } {
  if (image.length < 0x250 || image.toString('latin1', 0x202, 0x206) !== 'HdrS' || image.readUInt16LE(0x206) < 0x208)
    throw new UnsupportedKernel('it is not a bzImage of boot protocol 2.08 or later');
  const setupSectors = image[0x1f1] || 4; // per the boot protocol, 0 means 4
  const start = (setupSectors + 1) * 512 + image.readUInt32LE(0x248);
  const end = start + image.readUInt32LE(0x24c);
  if (end > image.length || end - start < 8) throw new UnsupportedKernel('its payload is truncated');
  const compression = MAGICS.find(([, magic]) => magic.every((byte, i) => image[start + i] === byte))?.[0];
  if (compression === undefined || !isSupported(compression))
    throw new UnsupportedKernel(`its compression is ${compression ?? 'unknown'}; supported: ${SUPPORTED.join(', ')}`);
  // Except for gzip, the uncompressed size follows the data.
  return { compression, payload: image.subarray(start, compression === 'gzip' ? end : end - 4) };
}

function isSupported(compression: string): compression is KernelCompression {
  return SUPPORTED.includes(compression);
}

async function unpack(
  compression: KernelCompression,
  payload: Buffer,
  run: RunCommand,
  signal?: AbortSignal,
): Promise<Buffer> {
  if (compression === 'gzip') return gunzipSync(payload);
  if (compression === 'zstd') return zstdDecompressSync(payload);
  const ran = await run(['lz4', '-d', '-c', '-q'], { input: payload, maxBytes: 512 << 20, signal });
  signal?.throwIfAborted();
  if (ran.code === 0) return ran.stdout;
  throw new UnsupportedKernel(`lz4 could not decompress it (${ran.outcome}): ${ran.stderr.trim()}`);
}

const PT_NOTE = 4;
/** XEN_ELFNOTE_PHYS32_ENTRY. */
const PVH_NOTE = 18;

export function hasPvhEntry(elf: Buffer): boolean {
  const isElf64 = elf.length >= 64 && elf.toString('latin1', 0, 5) === '\x7fELF\x02';
  if (!isElf64) return false;
  const [headers, size, count] = [Number(elf.readBigUInt64LE(32)), elf.readUInt16LE(54), elf.readUInt16LE(56)];
  for (let i = 0; i < count; i++) {
    const at = headers + i * size;
    if (at + 40 > elf.length) return false;
    if (elf.readUInt32LE(at) !== PT_NOTE) continue;
    const start = Number(elf.readBigUInt64LE(at + 8));
    if (hasNote(elf.subarray(start, start + Number(elf.readBigUInt64LE(at + 32))))) return true;
  }
  return false;
}

function hasNote(notes: Buffer): boolean {
  for (let at = 0; at + 12 <= notes.length; ) {
    const [nameBytes, bytes, type] = [0, 4, 8].map((offset) => notes.readUInt32LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const name = notes.toString('latin1', at + 12, at + 12 + nameBytes);
    if (type === PVH_NOTE && name === 'Xen\0') return true;
    at += 12 + aligned(nameBytes) + aligned(bytes);
  }
  return false;
}

const aligned = (bytes: number) => Math.ceil(bytes / 4) * 4;

// host/debian/kernels.testing.ts: minimal files that our parser accepts as a kernel.
import { gzipSync } from 'node:zlib';

export function aKernel(): Buffer {
  return bzImage(gzipSync(elf(Buffer.concat([note('GNU', 1, 5), note('Xen', 18, 8)]))));
}

/** Two sectors of setup code, then the protected-mode part with the payload at offset 16. */
export function bzImage(payload: Buffer): Buffer {
  const image = Buffer.concat([Buffer.alloc(3 * 512 + 16), payload, Buffer.alloc(64)]);
  image[0x1f1] = 2;
  image.write('HdrS', 0x202);
  image.writeUInt16LE(0x20f, 0x206);
  image.writeUInt32LE(16, 0x248);
  image.writeUInt32LE(payload.length, 0x24c);
  return image;
}

/** One program header, which points to the notes. */
export function elf(notes: Buffer): Buffer {
  const header = Buffer.alloc(64 + 56);
  header.write('\x7fELF\x02', 'latin1');
  header.writeBigUInt64LE(64n, 32);
  header.writeUInt16LE(56, 54);
  header.writeUInt16LE(1, 56);
  header.writeUInt32LE(4, 64);
  header.writeBigUInt64LE(120n, 64 + 8);
  header.writeBigUInt64LE(BigInt(notes.length), 64 + 32);
  return Buffer.concat([header, notes]);
}

export function note(name: string, type: number, bytes: number): Buffer {
  const header = Buffer.alloc(12);
  for (const [i, number] of [name.length + 1, bytes, type].entries()) header.writeUInt32LE(number, 4 * i);
  const pad = (length: number) => Math.ceil(length / 4) * 4;
  const named = Buffer.alloc(pad(name.length + 1));
  named.write(name);
  return Buffer.concat([header, named, Buffer.alloc(pad(bytes))]);
}

// vms/qemu/scrub/cpio.ts: write files as a cpio archive (`newc`, without checksums) that the kernel unpacks after the initrd.

export interface CpioFile {
  /** Without a leading slash; the initrd must have its folder. */
  path: string;
  mode: number;
  bytes: Uint8Array;
}

const REGULAR_FILE = 0o100000;
/** The kernel expects an archive at a multiple of this, after zeros. */
const ALIGNMENT = 4;
const END = 'TRAILER!!!';

export function cpioArchive(files: readonly CpioFile[]): Buffer {
  const entries = files.map(({ path, mode, bytes }, index) =>
    entry({ ino: index + 1, mode: REGULAR_FILE | mode, nlink: 1, name: path, bytes }),
  );
  return Buffer.concat([
    ...entries.flat(),
    ...entry({ ino: 0, mode: 0, nlink: 1, name: END, bytes: new Uint8Array() }),
  ]);
}

/** The kernel unpacks archives that follow the initrd. */
export function appendArchive(initrd: Uint8Array, archive: Uint8Array): Buffer {
  return Buffer.concat([padded(initrd), archive]);
}

interface Entry {
  ino: number;
  mode: number;
  nlink: number;
  name: string;
  bytes: Uint8Array;
}

function entry({ ino, mode, nlink, name, bytes }: Entry): Buffer[] {
  const nameBytes = Buffer.from(`${name}\0`);
  const [uid, gid, mtime, device, checksum] = [0, 0, 0, 0, 0];
  const numbers = [ino, mode, uid, gid, nlink, mtime, bytes.length, device, device, device, device, nameBytes.length];
  const header = ['070701', ...[...numbers, checksum].map((number) => number.toString(16).padStart(8, '0'))].join('');
  return [padded(Buffer.concat([Buffer.from(header), nameBytes])), padded(bytes)];
}

function padded(bytes: Uint8Array): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & (ALIGNMENT - 1))]);
}

// base/read-to-end.ts: everything a descriptor gives until its end: a file, a pipe, a device. Whoever writes sets the pace.
import { readSync } from 'node:fs';

/** A device such as /dev/zero has no end; more than this is not something to hold in memory. */
export const MAX_READ_BYTES = 1 << 30;

/** Throws what the file system says, or that there is more than `maxBytes`. */
export function readToEnd(fd: number, maxBytes = MAX_READ_BYTES): Uint8Array {
  const chunks: Buffer[] = [];
  for (let total = 0; total <= maxBytes; ) {
    const chunk = Buffer.allocUnsafe(1 << 16);
    try {
      const length = readSync(fd, chunk);
      if (length === 0) return Buffer.concat(chunks, total);
      chunks.push(chunk.subarray(0, length));
      total += length;
    } catch (error) {
      // Whoever shares a pipe may have made it non-blocking, and then a pause is not the end.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      waitAMoment();
    }
  }
  throw new Error(`it does not end within ${maxBytes >> 20} MiB`);
}

export function waitAMoment(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
}

// base/read-to-end.ts: reads a file, pipe or device until its end; blocks while a pipe has no data.
import { readSync } from 'node:fs';

/** A device such as /dev/zero has no end. */
export const MAX_READ_BYTES = 1 << 30;

/** Throws the system error, or an error if there are more than `maxBytes`. */
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
      // Another process may have made a shared pipe non-blocking: EAGAIN is not the end.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      waitAMoment();
    }
  }
  throw new Error(`it is larger than ${maxBytes >> 20} MiB`);
}

export function waitAMoment(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
}

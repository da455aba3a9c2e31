// cli/streams.ts: reads and writes the standard streams. Handles closed pipes, slow readers and a full disk.
import { writeSync } from 'node:fs';
import { UserError } from '../base/errors.ts';
import { readToEnd, waitAMoment } from '../base/read-to-end.ts';

/** Descriptors without a reader. */
const closed = new Set<number>();

/**
 * Synchronous, so nothing is lost when the process ends. When the reader has exited (`| head`) the rest is dropped and the
 * verb continues: its exit code and its effects do not depend on the reader.
 */
export function writeAll(fd: 1 | 2, content: string | Uint8Array): void {
  let bytes = typeof content === 'string' ? Buffer.from(content) : content;
  while (bytes.length > 0 && !closed.has(fd)) {
    try {
      bytes = bytes.subarray(writeSync(fd, bytes));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN')
        waitAMoment(); // a slow reader
      else if (code === 'EPIPE' || fd === 2)
        closed.add(fd); // there is no place to report that stderr cannot be written
      else throw cannotWrite(error);
    }
  }
}

export function readStdin(): Uint8Array {
  try {
    return readToEnd(0);
  } catch (cause) {
    throw new UserError(`cannot read standard input: ${(cause as Error).message}`, {
      code: 'boot/input-unreadable',
      next: 'give a file or folder with -i',
      cause,
    });
  }
}

function cannotWrite(cause: unknown): UserError {
  return new UserError(`cannot write to standard output: ${(cause as Error).message}`, {
    code: 'cli/stdout-unwritable',
    kept: 'The output is incomplete.',
    next: 'free disk space, or redirect the output elsewhere',
    exitCode: 1,
    cause,
  });
}

// cli/streams.ts: the standard streams, whatever stands behind them: a terminal, a pipe that closes, a full disk.
import { writeSync } from 'node:fs';
import { UserError } from '../base/errors.ts';
import { readToEnd, waitAMoment } from '../base/read-to-end.ts';

/** Nobody reads these any more. */
const closed = new Set<number>();

/**
 * Synchronous, so nothing is lost when the process ends. When the reader has gone (`| head`) the rest is dropped and the
 * verb goes on: its exit code, and what it changes, do not depend on who listens.
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
        closed.add(fd); // nowhere to tell that stderr cannot be written
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
    kept: 'What was written so far is not the whole answer.',
    next: 'make room, or send it somewhere else',
    exitCode: 1,
    cause,
  });
}

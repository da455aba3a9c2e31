// cli/streams.ts: reads and writes the standard streams. Handles closed pipes, slow readers and a full disk.
import { fstatSync, writeSync } from 'node:fs';
import { UserError } from '../base/errors.ts';
import { chunksOf, openPipe, openPipeWithin } from '../base/read-pipe.ts';
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
    throw cannotRead(cause);
  }
}

/** Standard input piece by piece. Calls `onWait` once if nothing comes for a while. */
export function* stdinChunks(onWait: () => void): Generator<Uint8Array> {
  try {
    yield* reopened({ onWait, noWriterMs: 0 }) ?? chunksOf(0, { onWait, noWriterMs: 0 });
  } catch (cause) {
    throw cannotRead(cause);
  }
}

/** A second opening of a pipe can be non-blocking without effect on the processes that share the first one. */
function reopened(options: { onWait: () => void; noWriterMs: number }): Iterable<Uint8Array> | undefined {
  try {
    return fstatSync(0).isFIFO() ? openPipe('/dev/stdin', options) : undefined;
  } catch {
    return undefined; // no /dev, or a pipe of another user
  }
}

/** A producer such as `cat` or `journalctl` has sent something by then; the pipe of `ssh` or of a CI runner stays open and silent. */
export const SENT_WITHIN_MS = 1_000;

/**
 * Standard input for a verb that got no input by name: a file with content, or a pipe that sends something. Never reads a
 * terminal, and never waits long. 'silent' for a pipe that sent nothing.
 */
export function sentStdin(onWait: () => void): Iterable<Uint8Array> | 'silent' | undefined {
  try {
    const stdin = fstatSync(0);
    if (stdin.isFile() && stdin.size > 0) return chunksOf(0);
    if (!stdin.isFIFO()) return undefined;
    return openPipeWithin('/dev/stdin', SENT_WITHIN_MS, { onWait, noWriterMs: 0 }) ?? 'silent';
  } catch {
    return undefined; // closed, no /dev, or a pipe of another user
  }
}

export function cannotRead(cause: unknown): UserError {
  return new UserError(`cannot read standard input: ${(cause as Error).message}`, {
    code: 'boot/input-unreadable',
    next: 'give a file or folder with -i',
    cause,
  });
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

// base/read-pipe.ts: reads a pipe, device or file in chunks without blocking in the kernel, and reports a long wait.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isatty } from 'node:tty';
import { waitAMoment } from './read-to-end.ts';

export interface PipeOptions {
  /** Called once if nothing came for this long. */
  onWait?: () => void;
  /** Of a FIFO: give up after this long if no process has it open for writing. */
  noWriterMs?: number;
}

/** No process opened the FIFO for writing in time. */
export class NoWriter extends Error {}

const CHUNK_BYTES = 1 << 16;
const REPORT_AFTER_MS = 2_000;
const NO_WRITER_MS = 10_000;

/** Opening does not wait for a writer. Throws the system error; NoWriter for a FIFO without a writer. */
export function openPipe(path: string, options: PipeOptions = {}): Generator<Uint8Array> {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  return readPipe(fd, options);
}

function* readPipe(fd: number, options: PipeOptions): Generator<Uint8Array> {
  try {
    yield* chunksOf(fd, options);
  } finally {
    closeSync(fd);
  }
}

/** The pipe if it sends something in time. Undefined if it sends nothing: closed without data, or its writer is silent. */
export function openPipeWithin(path: string, ms: number, options: PipeOptions = {}): Generator<Uint8Array> | undefined {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const until = Date.now() + ms;
  for (;;) {
    const chunk = readSome(fd);
    if (typeof chunk !== 'string') return withFirst(chunk, readPipe(fd, options));
    if (chunk === 'end' || Date.now() >= until) {
      closeSync(fd);
      return undefined;
    }
    waitAMoment();
  }
}

function* withFirst(first: Uint8Array, rest: Iterable<Uint8Array>): Generator<Uint8Array> {
  yield first;
  yield* rest;
}

/** Does not close `fd`. */
export function* chunksOf(fd: number, { onWait, noWriterMs = NO_WRITER_MS }: PipeOptions = {}): Generator<Uint8Array> {
  const stat = fstatSync(fd);
  const isEndless = stat.isFIFO() || stat.isSocket() || isatty(fd);
  let hasData = false;
  let idleSince = Date.now();
  let isReported = onWait === undefined;
  for (;;) {
    const chunk = readSome(fd);
    if (chunk !== 'no-data' && chunk !== 'end') {
      hasData = true;
      yield chunk;
      idleSince = Date.now();
      continue;
    }
    // A FIFO that no process has opened for writing also reads as ended.
    if (chunk === 'end' && (hasData || !stat.isFIFO() || noWriterMs === 0)) return;
    if (chunk === 'no-data' && !isEndless) return; // /proc/kmsg: all messages so far
    const idleMs = Date.now() - idleSince;
    if (chunk === 'end' && idleMs >= noWriterMs) throw new NoWriter(`nothing wrote to it in ${noWriterMs / 1000} s`);
    if (!isReported && idleMs >= REPORT_AFTER_MS) {
      isReported = true;
      onWait!();
    }
    waitAMoment();
  }
}

function readSome(fd: number): Uint8Array | 'no-data' | 'end' {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    const length = readSync(fd, buffer);
    if (length === 0) return 'end';
    // Copy short reads: a kept view would keep all of the buffer.
    return length * 2 < CHUNK_BYTES ? new Uint8Array(buffer.subarray(0, length)) : buffer.subarray(0, length);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN') return 'no-data';
    if (code === 'EOF') return 'end'; // Windows: the writer closed the pipe
    throw error;
  }
}

// cluster/local/log-tail.ts: the last lines of a server's log, which may be large.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const MAX_BYTES = 16 << 10;
/** A crash of the Go runtime, or a fatal line of klog. */
const CRASH_LINE = /^(?:panic: |fatal error: |F\d{4} )/;

/** Empty if there is no log. */
export function logTail(path: string, lines = 5): string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return '';
  }
  try {
    const bytes = Buffer.alloc(MAX_BYTES);
    const length = readSync(fd, bytes, 0, MAX_BYTES, Math.max(0, fstatSync(fd).size - MAX_BYTES));
    const tail = bytes.toString('utf8', 0, length).trimEnd().split('\n');
    // The crash line comes before the stack traces, which do not help the user.
    const crash = tail.findLastIndex((line) => CRASH_LINE.test(line));
    return (crash < 0 ? tail.slice(-lines) : tail.slice(crash, crash + lines)).join('\n');
  } finally {
    closeSync(fd);
  }
}

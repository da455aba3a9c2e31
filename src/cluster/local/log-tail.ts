// cluster/local/log-tail.ts: what did a server say before it ended? The last lines of its log, however long that is.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const MAX_BYTES = 16 << 10;
/** Of the language's runtime, and of the log that all of Kubernetes writes. */
const CRASH_LINE = /^(?:panic: |fatal error: |F\d{4} )/;

/** Empty when there is no log. */
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
    const said = bytes.toString('utf8', 0, length).trimEnd().split('\n');
    // The reason comes before the list of what was going on at that time, which is of no help to anybody.
    const died = said.findLastIndex((line) => CRASH_LINE.test(line));
    return (died < 0 ? said.slice(-lines) : said.slice(died, died + lines)).join('\n');
  } finally {
    closeSync(fd);
  }
}

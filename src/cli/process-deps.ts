// cli/process-deps.ts: what is the outside world of a real process to a verb?
import { fstatSync } from 'node:fs';
import { isatty, WriteStream } from 'node:tty';
import { interruptsOf } from './interrupts.ts';
import { readStdin, writeAll } from './streams.ts';
import type { CliDeps } from './verb.ts';

export function processDeps(): CliDeps {
  return {
    stdout: (text) => writeAll(1, text),
    stderr: (text) => writeAll(2, text),
    readStdin,
    env: process.env,
    // Asked of the descriptors: touching process.stdout opens stdin too, and makes it non-blocking for everyone who shares it.
    isTerminal: { stdout: isatty(1), stderr: isatty(2) },
    isStdinGiven,
    signalExitCode: () => (typeof process.exitCode === 'number' ? process.exitCode : undefined),
    columnsOf: (stream) => terminalColumns(stream === 'stdout' ? 1 : 2),
    nowUs: () => Date.now() * 1000,
    ...interruptsOf(process, () => performance.now()),
  };
}

function isStdinGiven(): boolean {
  try {
    const stdin = fstatSync(0);
    return stdin.isFIFO() || (stdin.isFile() && stdin.size > 0);
  } catch {
    return false; // closed
  }
}

/** Only when a verb asks: a pipe needs no stream, and `--help` is in a hurry. */
function terminalColumns(fd: 1 | 2): number | undefined {
  if (!isatty(fd)) return undefined;
  const stream = new WriteStream(fd);
  const { columns } = stream;
  stream.destroy();
  return columns;
}

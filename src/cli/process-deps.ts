// cli/process-deps.ts: the deps of a verb in a real process.
import { fstatSync } from 'node:fs';
import { isatty, WriteStream } from 'node:tty';
import { calledAs } from './called-as.ts';
import { interruptsOf } from './interrupts.ts';
import { readStdin, sentStdin, stdinChunks, writeAll } from './streams.ts';
import type { CliDeps } from './verb.ts';

export function processDeps(): CliDeps {
  return {
    stdout: (text) => writeAll(1, text),
    stderr: (text) => writeAll(2, text),
    readStdin,
    stdinChunks,
    sentStdin,
    env: process.env,
    calledAs: calledAs(process.argv[1], process.title),
    // Checks the descriptors: touching process.stdout also opens stdin, and makes it non-blocking for every process that shares it.
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

/** Opens the stream only for a terminal, and only when a verb needs the width: it would slow down every start. */
function terminalColumns(fd: 1 | 2): number | undefined {
  if (!isatty(fd)) return undefined;
  const stream = new WriteStream(fd);
  const { columns } = stream;
  stream.destroy();
  return columns;
}

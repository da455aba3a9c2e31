// cli/bin.ts: the process: real edges in, exit code out.
import { readFileSync, writeSync } from 'node:fs';
import { main } from './main.ts';
import type { Edges } from './verb.ts';

const interrupt = new AbortController();
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => {
    interrupt.abort(signal);
    process.exitCode = code;
  });
}

const edges: Edges = {
  stdout: (text) => writeAll(1, text),
  stderr: (text) => writeAll(2, text),
  readStdin: () => readFileSync(0),
  env: process.env,
  isTerminal: { stdout: process.stdout.isTTY === true, stderr: process.stderr.isTTY === true },
  nowUs: () => Date.now() * 1000,
  signal: interrupt.signal,
};

const code = await main(process.argv.slice(2), edges);
process.exitCode ??= code;

/** Synchronous, so nothing is lost when the process ends; a closed pipe (`| head`) ends it quietly, as in other tools. */
function writeAll(fd: number, text: string): void {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(fd, bytes));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') process.exit(0);
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5); // a slow reader: give it a moment
    }
  }
}

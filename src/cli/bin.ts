// cli/bin.ts: the process: real edges in, exit code out.
import { isatty } from 'node:tty';
import { main } from './main.ts';
import { readStdin, writeAll } from './streams.ts';
import type { Edges } from './verb.ts';

let interrupt: AbortController | undefined;

const edges: Edges = {
  stdout: (text) => writeAll(1, text),
  stderr: (text) => writeAll(2, text),
  readStdin,
  env: process.env,
  // Asked of the descriptors: touching process.stdout opens stdin too, and makes it non-blocking for everyone who shares it.
  isTerminal: { stdout: isatty(1), stderr: isatty(2) },
  nowUs: () => Date.now() * 1000,
  signal() {
    interrupt ??= catchSignals();
    return interrupt.signal;
  },
};

const code = await main(process.argv.slice(2), edges);
process.exitCode ??= code;

/**
 * Only for a verb that asks. Files are read and parsed without a pause in which a handler could run, so once there is one
 * neither Ctrl-C nor `kill` would end a verb that reads something huge, or waits for the writer of a pipe.
 */
function catchSignals(): AbortController {
  const controller = new AbortController();
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => {
      controller.abort(signal);
      process.exitCode = code;
    });
  }
  return controller;
}

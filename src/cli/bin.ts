// cli/bin.ts: the process: real edges in, exit code out.
import { isatty } from 'node:tty';
import { interruptsOf } from './interrupts.ts';
import { main } from './main.ts';
import { readStdin, writeAll } from './streams.ts';
import type { Edges } from './verb.ts';

const edges: Edges = {
  stdout: (text) => writeAll(1, text),
  stderr: (text) => writeAll(2, text),
  readStdin,
  env: process.env,
  // Asked of the descriptors: touching process.stdout opens stdin too, and makes it non-blocking for everyone who shares it.
  isTerminal: { stdout: isatty(1), stderr: isatty(2) },
  nowUs: () => Date.now() * 1000,
  ...interruptsOf(process, () => performance.now()),
};

const code = await main(process.argv.slice(2), edges);
process.exitCode ??= code;

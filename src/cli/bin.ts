// cli/bin.ts: the entry point: runs the command line with the real deps and sets the exit code.
import { main } from './main.ts';
import { processDeps } from './process-deps.ts';

// No top-level await: the executable is made of CommonJS scripts, and the npm package requires this file.
void main(process.argv.slice(2), processDeps()).then((code) => {
  process.exitCode ??= code;
});

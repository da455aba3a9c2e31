// cli/bin.ts: the entry point: runs the command line with the real deps and sets the exit code.
import { main } from './main.ts';
import { processDeps } from './process-deps.ts';

const code = await main(process.argv.slice(2), processDeps());
process.exitCode ??= code;

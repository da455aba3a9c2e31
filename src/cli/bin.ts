// cli/bin.ts: the process: real deps in, exit code out.
import { main } from './main.ts';
import { processDeps } from './process-deps.ts';

const code = await main(process.argv.slice(2), processDeps());
process.exitCode ??= code;

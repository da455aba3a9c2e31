// cli/bin.ts: the process: real edges in, exit code out.
import { main } from './main.ts';
import { processEdges } from './process-edges.ts';

const code = await main(process.argv.slice(2), processEdges());
process.exitCode ??= code;

// e2e/labs/cluster-victim.ts: a `headstart cluster up` in a separate process that the test kills.
import { processDeps } from '../../src/cli/process-deps.ts';
import { runProgram } from '../../src/cli/program.ts';

const verbs = { 'cluster up': { summary: '', load: () => import('../../src/cli/cluster/up.ts') } };
const groups = { cluster: { summary: '', examples: [] } };
process.exitCode = await runProgram({ summary: '', groups, verbs, examples: [] }, process.argv.slice(2), processDeps());

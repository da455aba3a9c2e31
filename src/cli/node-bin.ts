// cli/node-bin.ts: the entry point of the executable on nodes, which has only the verbs of `headstart node`.
import manifest from '../../package.json' with { type: 'json' };
import { NODE_GROUPS, NODE_VERBS } from './node/verbs.ts';
import { processDeps } from './process-deps.ts';
import { runProgram } from './program.ts';
import { versionVerb } from './version.ts';

const program = {
  summary: 'Configure this machine as a Kubernetes node',
  groups: NODE_GROUPS,
  verbs: {
    ...NODE_VERBS,
    version: {
      summary: 'Print the version',
      load: async () => ({ verb: versionVerb(() => ({ version: manifest.version })) }),
    },
  },
  examples: Object.values(NODE_GROUPS)[0]!.examples,
};

// No top-level await: a single executable is a CommonJS script.
runProgram(program, process.argv.slice(2), processDeps()).then((code) => {
  process.exitCode ??= code;
});

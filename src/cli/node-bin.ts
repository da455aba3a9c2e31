// cli/node-bin.ts: the process of the executable that nodes carry: the verbs of `headstart node`, nothing else on board.
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

// Not awaited here: a single executable is one CommonJS script.
runProgram(program, process.argv.slice(2), processDeps()).then((code) => {
  process.exitCode ??= code;
});

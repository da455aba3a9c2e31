// cli/node/verbs.ts: the verbs of `headstart node`. The executable on nodes has only these.
import type { Groups, Verbs } from '../program.ts';

export const NODE_GROUPS: Groups = {
  node: {
    summary: 'Configure this machine as a Kubernetes node, and change its configuration in place',
    examples: ['node check node-config.yaml', 'node plan node-config.yaml', 'node status'],
  },
};

export const NODE_VERBS: Verbs = {
  'node run': {
    summary: 'Run the daemon that configures the node at first boot and applies later changes in place',
    load: () => import('./run.ts'),
  },
  'node status': {
    summary: 'Show what this node runs and whether it is healthy',
    load: () => import('./status.ts'),
  },
  'node plan': {
    summary:
      'Show what a document would change on this node, and how disruptive that is; exit code 3 when it is blocked',
    load: () => import('./plan.ts'),
  },
  'node apply': {
    summary: 'Apply a document to this node now',
    load: () => import('./apply.ts'),
  },
  'node history': {
    summary: 'List what was applied on this node, and what was rolled back',
    load: () => import('./history.ts'),
  },
  'node rollback': {
    summary: 'Return this node to an earlier configuration',
    load: () => import('./rollback.ts'),
  },
  'node join': {
    summary: 'Let an instance in standby join its cluster now, without waiting for its claim',
    load: () => import('./join.ts'),
  },
  'node wait': {
    summary: 'Wait until this node is configured; exit code 3 on timeout',
    load: () => import('./wait.ts'),
  },
  'node distinct': {
    summary: 'Check that machines share no identity, key or randomness; exit code 3 when they do',
    load: () => import('./distinct.ts'),
  },
  'node check': {
    summary: 'Check whether a node would accept a document; exit code 3 when not',
    load: () => import('./check.ts'),
  },
  'node schema': {
    summary: 'Print the JSON Schema of a document, or a table of its fields',
    load: () => import('./schema.ts'),
  },
  'node convert': {
    summary: 'Convert a document to another API version, and sign it on request',
    load: () => import('./convert.ts'),
  },
};

// cli/node/verbs.ts: the verbs of a node's own configuration. The executable that nodes carry has these and no others.
import type { Groups, Verbs } from '../program.ts';

export const NODE_GROUPS: Groups = {
  node: {
    summary: 'turn a booted image into a node of this cluster, and update it in place',
    examples: ['node check node-config.yaml', 'node plan node-config.yaml', 'node status'],
  },
};

export const NODE_VERBS: Verbs = {
  'node run': {
    summary: 'the daemon: configures the node on first boot, and in place whenever its document changes',
    load: () => import('./run.ts'),
  },
  'node status': {
    summary: 'what this node runs, whether it is well, and if not, why',
    load: () => import('./status.ts'),
  },
  'node plan': {
    summary: 'what a document would change here, and how much that disrupts; exit code 3 when it may not be applied',
    load: () => import('./plan.ts'),
  },
  'node apply': {
    summary: 'make this node what the document says, now',
    load: () => import('./apply.ts'),
  },
  'node history': {
    summary: 'what was applied on this node, and what was taken back',
    load: () => import('./history.ts'),
  },
  'node rollback': {
    summary: 'go back to what this node ran before',
    load: () => import('./rollback.ts'),
  },
  'node wait': {
    summary: 'until this node is configured; exit code 3 when it is not in time',
    load: () => import('./wait.ts'),
  },
  'node check': {
    summary: 'would a node take this document, and if not, why; exit code 3 when not',
    load: () => import('./check.ts'),
  },
  'node schema': {
    summary: 'what a document may say: JSON Schema, or a table of the fields',
    load: () => import('./schema.ts'),
  },
  'node convert': {
    summary: 'the same document in another version, signed if asked',
    load: () => import('./convert.ts'),
  },
};

// cli/node/verbs.ts: the verbs of a node's own configuration. The executable that nodes carry has these and no others.
import type { Groups, Verbs } from '../program.ts';

export const NODE_GROUPS: Groups = {
  node: {
    summary: 'turn a booted image into a node of this cluster, and update it in place',
    examples: ['node check node-config.yaml', 'node schema --fields kubelet'],
  },
};

export const NODE_VERBS: Verbs = {
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

// cli/node/history.ts: `headstart node history`: what was applied on this node, when, from which source, and what was rolled back?
import type { GenerationRecord } from '../../node/apply/contract.ts';
import { printJson } from '../output/json.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { renderTable } from '../output/table.ts';
import type { Verb } from '../verb.ts';
import { type NodeOptions, openThisNode, withRoot } from './this-node.ts';

export const verb: Verb = {
  examples: ['node history', 'node history --json'],
  configure: (command) => withRoot(command),
  async run(_args, options: NodeOptions, deps) {
    const { store } = await openThisNode(options);
    const generations = store.listGenerations();
    if (options.json) return printJson(deps, 'NodeHistory', { generations: generations.map(toJson) });
    deps.stdout(
      generations.length > 0 ? render(generations, screenOf(deps)) : 'nothing has been applied on this node\n',
    );
  },
};

function toJson({ appliedMs, bad, ...record }: GenerationRecord) {
  const { atMs, ...why } = bad ?? { atMs: 0 };
  return {
    ...record,
    applied: iso(appliedMs),
    ...(bad && { bad: { ...why, at: iso(atMs) } }),
  };
}

function render(generations: readonly GenerationRecord[], screen: Screen): string {
  return renderTable(
    [
      { title: 'NUMBER', align: 'right', cell: ({ number }) => String(number) },
      { title: 'GENERATION', align: 'right', cell: ({ generation }) => String(generation) },
      { title: 'APPLIED', cell: ({ appliedMs }) => iso(appliedMs) },
      { title: 'DOCUMENT', cell: ({ documentHash }) => documentHash.slice(0, 12) },
      { title: 'FROM', cell: ({ origin, id }) => (id ? `${origin} (${id})` : origin) },
      { title: 'STATE', cell: stateOf, narrow: 'wrap' },
    ],
    generations,
    screen,
  );
}

function stateOf({ isActive, isLastKnownGood, bad }: GenerationRecord): string {
  const words = [
    isActive ? 'active' : '',
    isLastKnownGood ? 'last known good' : '',
    bad ? `rolled back: ${bad.code}` : '',
  ];
  return words.filter(Boolean).join(', ');
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

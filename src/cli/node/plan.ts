// cli/node/plan.ts: `headstart node plan`: what would change on this node, how disruptive is it, and is it allowed? Exits 3 if not.

import type { DryPlan } from '../../node/apply/contract.ts';
import { planToJson, renderNodePlan } from '../../node/plan/render-plan.ts';
import { renderProblem } from '../../schema/problem.ts';
import { printJson } from '../output/json.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { type NodeOptions, openThisNode, type ResolvedDocument, resolveDocument, withSource } from './this-node.ts';

const ANSWER_IS_NO = 3;

export const verb: Verb = {
  examples: ['node plan', 'node plan node-config.yaml', 'node plan node-config.yaml --json'],
  notes: 'Exit code: 0 nothing to do, or the document can be applied now or later; 3 it is blocked.',
  configure(command) {
    withSource(command.argument('[FILE]', 'the document; default: the user data of this instance'));
  },
  async run([file], options: NodeOptions, deps) {
    const opened = await openThisNode(options);
    const resolved = await resolveDocument(opened, file, deps);
    const planned = await opened.store.plan(resolved.assignment, { isOrdered: false });
    showPlan(resolved, planned, options, deps);
    return planned.verdict.decision === 'blocked' ? ANSWER_IS_NO : 0;
  },
};

/** Also used by `apply --dry-run`. */
export function showPlan(
  resolved: ResolvedDocument,
  { plan, verdict }: DryPlan,
  { json }: NodeOptions,
  deps: CliDeps,
): void {
  const { assignment, warnings } = resolved;
  const { documentHash, hash, config, origin } = assignment;
  if (json) {
    const about = { generation: config.generation, documentHash, hash, origin, warnings };
    printJson(deps, 'NodePlan', { ...about, ...planToJson(plan, verdict) });
    return;
  }
  for (const warning of warnings) deps.stderr(`warning  ${renderProblem(warning)}\n`);
  deps.stderr(`generation ${config.generation} from ${origin}\n`);
  deps.stdout(renderNodePlan(plan, verdict));
}

// cli/node/rollback.ts: `headstart node rollback`: returns this node to an earlier generation. The daemon does not apply the abandoned document again.
import { UserError } from '../../base/errors.ts';
import type { GenerationRecord } from '../../node/apply/contract.ts';
import { confirm } from '../confirm.ts';
import { printJson } from '../output/json.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { requestChange } from './request-change.ts';
import { type NodeOptions, openThisNode, withRoot } from './this-node.ts';

interface Options extends NodeOptions {
  to?: string;
  once?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

export const verb: Verb = {
  examples: ['node rollback', 'node rollback --to 3 --dry-run', 'node rollback --to 3 --yes'],
  configure(command) {
    withRoot(command)
      .option(
        '--to <NUMBER>',
        'a number from `headstart node history`; default: the last good configuration before this one',
      )
      .option('--once', 'without the daemon: roll back, wait until the health checks pass, then exit')
      .option('--dry-run', 'print the target generation, and change nothing')
      .option('--yes', 'do not ask for confirmation');
  },
  async run(_args, options: Options, deps) {
    const to = parseNumber(options.to);
    const opened = await openThisNode(options);
    const goal = goalOf(opened.store.listGenerations(), to);
    if (options.dryRun) return showGoal(goal, options, deps);
    confirm(`Roll back to generation ${goal.generation}, applied ${iso(goal)}?`, options, deps);
    const request = { do: 'roll-back', to: goal.number } as const;
    return requestChange(opened, request, options, deps, {
      print: (body) => printJson(deps, 'NodeRollback', body),
      withoutDaemon: ({ store }) => store.rollbackTo(goal.number),
    });
  },
};

/** Chooses the same generation as the store would. `generations` is sorted newest first. */
function goalOf(generations: readonly GenerationRecord[], to: number | undefined): GenerationRecord {
  const active = generations.find(({ isActive }) => isActive);
  const good = generations.find(({ isLastKnownGood, isActive }) => isLastKnownGood && !isActive);
  const before = generations.find(({ number }) => number < (active?.number ?? 0));
  const goal = to === undefined ? (good ?? before) : generations.find(({ number }) => number === to);
  if (goal !== undefined && !goal.isActive) return goal;
  const what =
    to === undefined
      ? 'there is no earlier generation on this node'
      : `number ${to} is ${goal ? 'already active' : 'not on this node'}`;
  throw new UserError(what, {
    code: 'node/no-such-generation',
    kept: 'Nothing was changed.',
    next: 'headstart node history',
  });
}

function showGoal(goal: GenerationRecord, { json }: Options, deps: CliDeps): void {
  const { number, generation, hash, documentHash, origin } = goal;
  if (json) printJson(deps, 'NodeRollbackPlan', { number, generation, hash, documentHash, origin, applied: iso(goal) });
  else
    deps.stdout(`would roll back to number ${number}: generation ${generation} from ${origin}, applied ${iso(goal)}\n`);
}

function parseNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UserError(`--to: expected a number from \`headstart node history\`, got '${text}'`, {
    code: 'node/bad-option',
  });
}

function iso({ appliedMs }: GenerationRecord): string {
  return new Date(appliedMs).toISOString();
}

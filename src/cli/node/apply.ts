// cli/node/apply.ts: `headstart node apply`: applies a document to this node now, through the daemon if it runs. A manual apply does
// not wait for a maintenance window or a turn, and needs confirmation if pods would be disrupted.
import { UserError } from '../../base/errors.ts';
import type { DryPlan } from '../../node/apply/contract.ts';
import type { DaemonRequest } from '../../node/daemon/requests.ts';
import { reasonFor } from '../../node/reason-codes.ts';
import { confirm } from '../confirm.ts';
import { printJson } from '../output/json.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { showPlan } from './plan.ts';
import { requestChange } from './request-change.ts';
import { type NodeOptions, openThisNode, type ResolvedDocument, resolveDocument, withSource } from './this-node.ts';

interface Options extends NodeOptions {
  once?: boolean;
  keep?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

const ANSWER_IS_NO = 3;

export const verb: Verb = {
  examples: [
    'node apply',
    'node apply node-config.yaml --dry-run',
    'node apply node-config.yaml --once --yes',
    'node apply --keep',
  ],
  notes: 'Exit code: 0 applied, or nothing to do; 3 blocked, or rolled back; 1 failed.',
  configure(command) {
    withSource(command.argument('[FILE]', 'the document; default: the user data of this instance'))
      .option('--once', 'without the daemon: apply the document, wait until its health checks pass, then exit')
      .option('--keep', 'keep a document that is on trial (update.mode: try)')
      .option('--dry-run', 'print the plan, and change nothing')
      .option('--yes', 'do not ask for confirmation, even if pods are disrupted or manual changes are overwritten');
  },
  async run([file], options: Options, deps) {
    if (options.keep) return keep(file, options, deps);
    const opened = await openThisNode(options);
    const resolved = await resolveDocument(opened, file, deps);
    const planned = await opened.store.plan(resolved.assignment, { isOrdered: false });
    if (options.dryRun) {
      showPlan(resolved, planned, options, deps);
      return planned.verdict.decision === 'blocked' ? ANSWER_IS_NO : 0;
    }
    const isAllowed = await mayApply(planned, resolved, options, deps, async () =>
      opened.store.plan(resolved.assignment, { isOrdered: true }),
    );
    if (!isAllowed) return ANSWER_IS_NO;
    const { document, origin } = resolved.assignment;
    const request: DaemonRequest = { do: 'apply', document: Buffer.from(document).toString('base64'), origin };
    return requestChange(opened, request, options, deps, {
      print: (body) => printJson(deps, 'NodeApply', body),
      withoutDaemon: ({ store }, signal) => store.apply(resolved.assignment, { isOrdered: true, signal }),
    });
  },
};

/** Asks for confirmation of a change that a user may force; prints the plan of a change that must not be made on a node. */
async function mayApply(
  { verdict }: DryPlan,
  resolved: ResolvedDocument,
  options: Options,
  deps: CliDeps,
  planOrdered: () => Promise<DryPlan>,
): Promise<boolean> {
  if (verdict.decision !== 'blocked' || verdict.code === 'plan/needs-control-plane') return true;
  const ordered = await planOrdered();
  if (ordered.verdict.decision === 'blocked') {
    showPlan(resolved, ordered, options, deps);
    const { next } = reasonFor(ordered.verdict.code);
    if (next) deps.stderr(`next:  ${next}\n`);
    return false;
  }
  confirm(`${verdict.reason}. Apply it to this node anyway?`, options, deps);
  return true;
}

async function keep(file: string | undefined, options: Options, deps: CliDeps): Promise<number> {
  if (file !== undefined)
    throw new UserError('--keep takes no FILE: it keeps the document that is already applied', {
      code: 'node/bad-option',
    });
  const opened = await openThisNode(options);
  return requestChange(opened, { do: 'keep' }, options, deps, {
    print: (body) => printJson(deps, 'NodeApply', body),
    withoutDaemon: ({ store }) => store.keep(),
  });
}

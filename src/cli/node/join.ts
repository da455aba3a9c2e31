// cli/node/join.ts: `headstart node join`: lets an instance in standby join its cluster, although the metadata did not say that it was claimed.
import { UserError } from '../../base/errors.ts';
import type { StandbyStatus } from '../../node/status/node-status.ts';
import { asStatus } from '../../node/status/read-status.ts';
import { askDaemon } from '../../node/triggers/ask-socket.ts';
import { confirm } from '../confirm.ts';
import { printJson } from '../output/json.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { withRoot } from './this-node.ts';

interface Options {
  root: string;
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
}

export const verb: Verb = {
  examples: ['node join --dry-run', 'node join --yes'],
  notes:
    'An instance in a standby pool joins by itself when its metadata says that it was claimed. Use this verb\nonly where the metadata service does not answer: a node that its pool still owns is handed out again.',
  configure(command) {
    withRoot(command)
      .option('--dry-run', 'print whether the instance is in standby, and change nothing')
      .option('--yes', 'do not ask for confirmation');
  },
  async run(_args, options: Options, deps) {
    const { root, dryRun } = options;
    const standby = await readStandby(root, deps);
    const isWaiting = standby !== undefined && standby.leftAt === undefined;
    if (isWaiting && !dryRun) {
      confirm(`Join the cluster, in standby since ${standby.since}?`, options, deps);
      await askDaemon(root, { do: 'join' }, deps.signal());
    }
    print({ standby, isWaiting }, options, deps);
  },
};

async function readStandby(root: string, deps: CliDeps): Promise<StandbyStatus | undefined> {
  const status = asStatus((await askDaemon(root, { do: 'status' }, deps.signal()))?.status);
  if (status !== undefined) return status.standby;
  throw new UserError('the daemon does not run on this node', {
    code: 'node/no-daemon',
    kept: 'Nothing was changed.',
    next: 'systemctl start headstart-node',
  });
}

function print(
  { standby, isWaiting }: { standby: StandbyStatus | undefined; isWaiting: boolean },
  { dryRun, json }: Options,
  deps: CliDeps,
): void {
  const outcome = isWaiting ? 'joining' : 'unchanged';
  if (json) {
    printJson(deps, 'NodeJoin', { outcome, ...(dryRun && { isDryRun: true }), ...(standby && { standby }) });
    return;
  }
  if (!isWaiting) {
    deps.stdout('this instance is not in standby\n');
    return;
  }
  deps.stdout(dryRun ? `would join; in standby since ${standby?.since}\n` : 'joining: kubelet starts\n');
  if (!dryRun) deps.stderr('next:  headstart node wait --for applied\n');
}

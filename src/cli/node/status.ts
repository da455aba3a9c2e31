// cli/node/status.ts: `headstart node status`: what does this node run, is it healthy, and if not, why? Works without root.
import { join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { STATUS_PATH } from '../../node/status/files.ts';
import { headline, type NodeStatus, type SlotStatus, type StandbyStatus } from '../../node/status/node-status.ts';
import { asStatus, readNodeStatus } from '../../node/status/read-status.ts';
import { askDaemon } from '../../node/triggers/ask-socket.ts';
import { printJson } from '../output/json.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { printable, renderTable } from '../output/table.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { withRoot } from './this-node.ts';

interface Options {
  root: string;
  json?: boolean;
}

export const verb: Verb = {
  examples: ['node status', 'node status --json'],
  configure: (command) => withRoot(command),
  async run(_args, { root, json }: Options, deps) {
    const { status, isRunning } = await readCurrentStatus(root, deps);
    if (json) printJson(deps, 'NodeStatus', { ...status, isRunning });
    else deps.stdout(render(status, isRunning, screenOf(deps)));
  },
};

const PATIENCE_MS = 5000;

/** Whether the daemon runs. Undefined: not known, because the caller is not root or the daemon does not answer. */
type Liveness = boolean | undefined;

async function readCurrentStatus(root: string, deps: CliDeps): Promise<{ status: NodeStatus; isRunning: Liveness }> {
  const { live, isRunning } = await fromDaemon(root, deps);
  const status = live ?? readNodeStatus(root);
  if (status !== undefined) return { status, isRunning };
  throw new UserError(`the daemon has written no status since boot: ${join(root, STATUS_PATH)} is missing or invalid`, {
    code: 'node/no-status',
    next: 'check the daemon: systemctl status headstart-node',
    exitCode: 1,
  });
}

async function fromDaemon(
  root: string,
  deps: CliDeps,
): Promise<{ live?: NodeStatus | undefined; isRunning: Liveness }> {
  try {
    const patience = AbortSignal.any([deps.signal(), AbortSignal.timeout(PATIENCE_MS)]);
    const answer = await askDaemon(root, { do: 'status' }, patience);
    return { live: asStatus(answer?.status), isRunning: answer !== undefined };
  } catch (error) {
    const isUnknown = error instanceof UserError && error.code === 'node/not-root';
    const isSilent = error instanceof DOMException && error.name === 'TimeoutError';
    if (isUnknown || isSilent) return { isRunning: undefined }; // the status file has the last status
    throw error;
  }
}

function render(status: NodeStatus, isRunning: Liveness, screen: Screen): string {
  const rows: [string, SlotStatus | undefined][] = [
    ['active', status.active],
    ['last known good', status.lastKnownGood],
    ['assigned', status.assigned],
  ];
  const table = renderTable(
    [
      { title: '', cell: ([name]) => name },
      { title: 'GENERATION', align: 'right', cell: ([, slot]) => (slot ? String(slot.generation) : '-') },
      { title: 'SINCE', cell: ([, slot]) => slot?.at ?? '' },
      { title: 'DOCUMENT', cell: ([, slot]) => slot?.documentHash.slice(0, 12) ?? '' },
    ],
    rows,
    screen,
  );
  const notes = status.notes.map(({ code, detail }) => `note:  ${printable(detail)} (${code})\n`);
  const standby = status.standby ? standbyLine(status.standby, status.isReady) : '';
  const next = status.next ? `next:  ${status.next}\n` : '';
  const kept = status.keepBy
    ? `next:  headstart node apply --keep, before ${status.keepBy}, or it is rolled back\n`
    : '';
  const gone = isRunning === false ? 'note:  the daemon does not run; this is its last status\n' : '';
  return `${printable(headline(status))}\n${standby}\n${table}\n${gone}${notes.join('')}${kept}${next}`;
}

function standbyLine({ where, since, isConfirmed, leftAt, joinedAt }: StandbyStatus, isReady: boolean): string {
  const name = where === 'pool' ? 'in standby' : 'parked by the platform';
  if (leftAt === undefined) {
    return `${name} since ${since}${isConfirmed ? '' : ' (not confirmed by the metadata since the daemon started)'}\n`;
  }
  const waits = isReady ? '' : ', waits for a document that it can apply';
  const joined = joinedAt === undefined ? waits : `, kubelet could start at ${joinedAt}`;
  return `left standby at ${leftAt}${joined}\n`;
}

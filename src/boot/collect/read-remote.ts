// boot/collect/read-remote.ts: another machine as inputs, over ssh, for verbs with --host. Read-only, and nothing is kept here or there.
import { type RunCommand, runCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';
import { type Input, memoryInput } from '../load/input.ts';
import { withoutSecrets } from './bundle.ts';
import { interrupted, readProblems, requireBoot, validBoot } from './collect.ts';
import type { CollectResult } from './collect-result.ts';
import { type CollectItem, itemsFor } from './items.ts';
import { collectRemote } from './remote.ts';

export interface RemoteMachine {
  /** As for ssh: a host alias, HOST or USER@HOST. */
  host: string;
  sudo?: boolean | undefined;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
  run?: RunCommand;
}

/** `boot`: as in journalctl; 0 is the last one. */
export async function readRemoteMachine(
  machine: RemoteMachine,
  { boot: asked }: { boot?: string } = {},
): Promise<{ inputs: Input[]; problems: string[] }> {
  const boot = validBoot(asked);
  const collected = await collectFrom(machine, itemsFor(boot));
  try {
    requireBoot(collected, boot, machine.host);
  } catch (error) {
    throw withSudoHint(error, machine, boot);
  }
  const problems = readProblems(collected, boot).map((problem) => `${machine.host}: ${problem}`);
  // As in a bundle: what comes from another machine is often passed on, as a report or a trace.
  const members = collected.members.map(withoutSecrets);
  return { inputs: members.map(({ name, bytes }) => memoryInput(name, bytes)), problems };
}

const CLOUD_INIT_LOG = 'var/log/cloud-init.log';

export async function readRemoteCloudInitLog(machine: RemoteMachine): Promise<Input> {
  const items = itemsFor('0').filter((item) => item.kind === 'file' && item.pattern === `/${CLOUD_INIT_LOG}*`);
  const { members, missed } = await collectFrom(machine, [...items, ...HOST_NAME]);
  const log = members.find(({ name }) => name === CLOUD_INIT_LOG);
  if (log) return memoryInput(`${machine.host}:/${CLOUD_INIT_LOG}`, withoutSecrets(log).bytes);
  const why = missed.find(({ name }) => name.startsWith(CLOUD_INIT_LOG))?.why ?? 'no such file';
  throw new UserError(`cannot read /${CLOUD_INIT_LOG} of ${machine.host}: ${why}`, {
    code: 'boot/no-cloud-init-log',
    next: machine.sudo ? 'check that cloud-init ran there' : 'check that cloud-init ran there, or add --sudo',
    exitCode: 1,
  });
}

/** Proves that the machine answered if the log is missing. */
const HOST_NAME = itemsFor('0').filter((item) => item.kind === 'command' && item.name === 'uname.txt');

async function collectFrom(
  { host, sudo, env, signal, run = runCommand }: RemoteMachine,
  items: readonly CollectItem[],
): Promise<CollectResult> {
  try {
    return await collectRemote({ host, items, run, sudo: sudo === true, env, ...(signal && { signal }) });
  } catch (error) {
    throw signal?.aborted ? interrupted() : error;
  }
}

function withSudoHint(error: unknown, { host, sudo }: RemoteMachine, boot: string): unknown {
  if (!(error instanceof UserError) || boot !== '0') return error;
  const next = sudo
    ? `check that ${host} runs systemd or cloud-init`
    : `add --sudo if ${host} lets you read this only as root`;
  return new UserError(error.message, { code: error.code, next, exitCode: 1 });
}

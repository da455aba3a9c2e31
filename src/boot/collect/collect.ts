// boot/collect/collect.ts: collects the boot data of the live machine. Callers read a live machine only through this file.
import { hostname } from 'node:os';
import { runCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';
import { type Input, memoryInput } from '../load/input.ts';
import { type CollectResult, hostnameIn, type MissedItem, NO_SUCH_FILE } from './collect-result.ts';
import { type CollectItem, itemsFor, nodeObjectItem } from './items.ts';
import { type ItemResult, type MachineAccess, takeItem } from './take.ts';
import { unpackMembers } from './unpack.ts';

export interface CollectOptions {
  /** As in journalctl: 0 is this boot, -1 the one before; or a boot id. */
  boot?: string;
  /** Also get this machine's Node from the API server. */
  nodeObject?: boolean;
}

/** Runs slow programs in parallel, but not so many that they disturb a node that is still starting. */
const AT_ONCE = 4;

export async function collectBoot(machine: MachineAccess, options: CollectOptions = {}): Promise<CollectResult> {
  const items = itemsFor(validBoot(options.boot));
  if (options.nodeObject) items.push(nodeObjectItem(hostname()));
  const taken = await takeAll(items, machine);
  const unpacked = unpackMembers(taken.flatMap((t) => t.members));
  return {
    hostname: hostnameIn(unpacked.members) || hostname(),
    members: unpacked.members,
    missed: [...taken.flatMap((t) => t.missed), ...unpacked.missed],
  };
}

/** The live machine as inputs, for verbs without -i. */
export async function readLiveMachine(
  options: { boot?: string; signal?: AbortSignal } = {},
): Promise<{ inputs: Input[]; problems: string[] }> {
  const machine: MachineAccess = { run: runCommand, root: '', env: process.env, signal: options.signal };
  const collected = await collectBoot(machine, options.boot === undefined ? {} : { boot: options.boot });
  if (options.signal?.aborted) throw interrupted();
  const boot = validBoot(options.boot);
  requireBoot(collected, boot);
  const inputs = collected.members.map((member) => memoryInput(member.name, member.bytes));
  return { inputs, problems: readProblems(collected, boot) };
}

/** Existing boot data that could not be read. Without it an answer may look complete but be wrong. */
export function readProblems({ missed }: CollectResult, boot: string): string[] {
  const bootItems = itemsFor(boot).filter((item) => item.describesBoot);
  return missed
    .filter(({ name, why }) => why !== NO_SUCH_FILE && bootItems.some((item) => matches(item, name)))
    .map((each) => describeMissed(each, bootItems));
}

/** Kernel messages and a host name alone are not enough to explain a boot. */
export function requireBoot({ members, missed }: CollectResult, boot: string, where = 'this machine'): void {
  const bootItems = itemsFor(boot).filter((item) => item.describesBoot);
  if (members.some((member) => member.bytes.length > 0 && bootItems.some((item) => matches(item, member.name)))) return;
  throw new UserError(`no boot data on ${where}: ${reasons(missed, bootItems)}`, {
    code: 'boot/no-live-boot',
    next:
      boot === '0'
        ? 'run this on a node with systemd, read another machine with --host USER@HOST, or pass recorded files with -i FILE'
        : 'list the boots in the journal with `journalctl --list-boots`',
    exitCode: 1,
  });
}

/** The result becomes part of a command line, locally and over ssh. */
export function validBoot(boot = '0'): string {
  if (/^(?:[+-]?\d{1,6}|[0-9a-f]{32})$/.test(boot)) return boot.replace(/^-?0+$/, '0');
  const bare = boot.replaceAll('-', '').toLowerCase();
  if (/^[0-9a-f]{32}$/.test(bare)) return bare;
  throw new UserError(`${JSON.stringify(boot)} is not a boot number or boot id`, {
    code: 'boot/bad-boot',
    next: 'use --boot 0, -1, -2 … or a boot id of 32 hex digits (see `journalctl --list-boots`)',
  });
}

export function interrupted(): UserError {
  return new UserError('interrupted while reading the machine', { code: 'boot/interrupted', exitCode: 4 });
}

async function takeAll(items: readonly CollectItem[], machine: MachineAccess): Promise<ItemResult[]> {
  const taken: ItemResult[] = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      taken[index] = await takeItem(items[index]!, machine);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return taken;
}

function matches(item: CollectItem, member: string): boolean {
  if (item.kind === 'command') return item.name === member;
  const [start = '', end = ''] = item.pattern.slice(1).split(/\*.*\*|\*/);
  return member.startsWith(start) && member.endsWith(end);
}

/** Names commands and paths instead of bundle members, which mean nothing to a user who never made a bundle. */
function reasons(missed: readonly MissedItem[], items: readonly CollectItem[]): string {
  const main = missed.filter(({ name }) =>
    /^(?:systemctl-show-manager\.txt|journal\.json|var\/log\/cloud-init)/.test(name),
  );
  return main.map((each) => describeMissed(each, items)).join('; ');
}

function describeMissed({ name, why }: MissedItem, items: readonly CollectItem[]): string {
  const item = items.find((each) => matches(each, name));
  if (item?.kind !== 'command') return `${item ? '/' : ''}${name}: ${why}`;
  const [program, ...rest] = item.tries[0]!;
  const command = `\`${[program, ...rest.filter((word) => /^(?:[a-z]+|\*)$/.test(word))].join(' ')}\``;
  // Some reasons already start with the program's name.
  return why.startsWith(`${program} `) ? `${command}${why.slice(program.length)}` : `${command}: ${why}`;
}

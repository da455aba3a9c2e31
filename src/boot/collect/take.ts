// boot/collect/take.ts: collects one item from this machine. Read-only; a missing item is a result, not an error.
import { closeSync, constants, fstatSync, globSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Argv, CommandResult, RunCommand } from '../../base/command.ts';
import {
  type BundleMember,
  fromFirstWholeLine,
  type MissedItem,
  NO_SUCH_FILE,
  toLastWholeLine,
} from './collect-result.ts';
import type { CollectItem, CommandItem, FileItem } from './items.ts';

export interface MachineAccess {
  run: RunCommand;
  /** Prefix of every path: empty for this machine, a folder for an image or a test. */
  root: string;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
}

export interface ItemResult {
  members: BundleMember[];
  missed: MissedItem[];
}

export async function takeItem(item: CollectItem, machine: MachineAccess): Promise<ItemResult> {
  return item.kind === 'command' ? takeCommand(item, machine) : takeFiles(item, machine);
}

async function takeCommand(item: CommandItem, machine: MachineAccess): Promise<ItemResult> {
  let why = '';
  for (const argv of item.tries) {
    const { timeoutMs, maxBytes } = item;
    // English output, and UTC for programs without an option for it.
    const env = { ...machine.env, LC_ALL: 'C.UTF-8', TZ: 'UTC', SYSTEMD_COLORS: '0', SYSTEMD_PAGER: '' };
    const ran = await machine.run(argv, { timeoutMs, maxBytes, env, signal: machine.signal });
    if (ran.outcome === 'cut' && ran.stdout.length > 0) {
      const note = `only the first ${inMiB(maxBytes)}`;
      return { members: [{ name: item.name, bytes: toLastWholeLine(ran.stdout), note }], missed: [] };
    }
    if (ran.outcome === 'exited' && ran.code === 0 && ran.stdout.length > 0) {
      return { members: [{ name: item.name, bytes: ran.stdout }], missed: [] };
    }
    why = whyNot(argv, ran, timeoutMs);
    if (ran.outcome === 'missing' || ran.outcome === 'aborted') break;
  }
  return { members: [], missed: [{ name: item.name, why }] };
}

function whyNot([program]: Argv, { outcome, code, stderr }: CommandResult, timeoutMs: number): string {
  if (outcome === 'missing') return `${program} is not installed`;
  if (outcome === 'timed-out') return `${program} timed out after ${timeoutMs / 1000} s`;
  if (outcome === 'aborted') return 'interrupted';
  const firstLine = stderr.split('\n')[0]?.trim();
  if (code === 0) return firstLine || `${program} printed nothing: no data, or no permission to read it`;
  return `${program} failed${firstLine ? `: ${firstLine}` : ` with exit code ${code}`}`;
}

function takeFiles(item: FileItem, machine: MachineAccess): ItemResult {
  const taken: ItemResult = { members: [], missed: [] };
  const inside = item.pattern.slice(1);
  const paths = item.pattern.includes('*') ? globSync(inside, { cwd: machine.root || '/' }).sort() : [inside];
  if (paths.length === 0) taken.missed.push({ name: inside, why: NO_SUCH_FILE });
  for (const path of paths) {
    try {
      taken.members.push({ name: path, ...readMember(join(machine.root || '/', path), item) });
    } catch (error) {
      taken.missed.push({ name: path, why: whyUnreadable(error) });
    }
  }
  return taken;
}

class NotTaken extends Error {}

function readMember(path: string, { maxBytes, keep }: FileItem): Pick<BundleMember, 'bytes' | 'note'> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK); // opening a FIFO must not block
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new NotTaken('not a regular file');
    if (stat.size <= maxBytes) return { bytes: readUpTo(fd, maxBytes, null) };
    if (keep === 'none') throw new NotTaken(`larger than ${inMiB(maxBytes)}`);
    const end = readUpTo(fd, maxBytes, stat.size - maxBytes);
    return { bytes: fromFirstWholeLine(end), note: `only the last ${inMiB(maxBytes)}` };
  } finally {
    closeSync(fd);
  }
}

/** Files in /proc have size 0, so read until the end instead of trusting the size. */
function readUpTo(fd: number, maxBytes: number, position: number | null): Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length < maxBytes) {
    const chunk = Buffer.allocUnsafe(Math.min(64 << 10, maxBytes - length));
    const read = readSync(fd, chunk, 0, chunk.length, position === null ? null : position + length);
    if (read === 0) break;
    chunks.push(chunk.subarray(0, read));
    length += read;
  }
  return Buffer.concat(chunks);
}

function whyUnreadable(error: unknown): string {
  if (error instanceof NotTaken) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return NO_SUCH_FILE;
  return code === 'EACCES' || code === 'EPERM' ? 'permission denied' : String(code ?? error);
}

function inMiB(bytes: number): string {
  return `${bytes / (1 << 20)} MiB`;
}

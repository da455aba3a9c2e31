// vms/qemu/scrub/scrub-disk.ts: edit the copy of a disk in a small VM without network, so that it needs no root and no mount on this machine.

import { closeSync, mkdirSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallOptions } from '../../../base/call-options.ts';
import type { CommandResult, RunCommand } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';
import { killedWithParent } from '../../../host/run-tool.ts';
import { appendArchive, cpioArchive } from './cpio.ts';
import { rootDevice } from './root-device.ts';
import { scrubProblems } from './scrub-answer.ts';
import { INIT_PATH, SCRIPT_PATH, scrubInit, scrubItems } from './scrub-init.ts';
import { scrubArgv } from './scrub-vm.ts';

export interface ScrubOrder {
  /** The copy, edited in place. Raw: a qcow2 keeps the old bytes when less than a whole cluster is discarded. */
  disk: string;
  vmlinux: string;
  /** Must contain e2fsck, tune2fs and busybox, as in base images. */
  initrd: string;
  /** Scratch space. */
  workFolder: string;
  /** Runs with `sh -s`, with the copy mounted at `COPY_ROOT`. Prints `item=state` lines; every name in `items` must be reported. */
  script?: { text: string; items: readonly string[] };
  /** `off`: disable cloud-init on the copy. */
  cloudInit?: 'off';
  /** `PARTUUID=…` when the copy has partitions. */
  root?: string;
}

export interface ScrubDeps extends CallOptions {
  run: RunCommand;
  deadlineMs: number;
  accelerator?: 'kvm' | 'tcg';
}

const MAX_ANSWER_BYTES = 1 << 20;
const MAX_CONSOLE_BYTES = 64 << 10;

/** Throws when an item failed or is not reported; the copy must not be used then. */
export async function scrubDisk(order: ScrubOrder, deps: ScrubDeps): Promise<void> {
  const folder = join(order.workFolder, 'scrub');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    await needHoles(folder, deps);
    await edit(order, folder, deps);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function edit(order: ScrubOrder, folder: string, deps: ScrubDeps): Promise<void> {
  const { run, signal, onWaiting, deadlineMs, accelerator = 'tcg' } = deps;
  const work = {
    device: await rootDevice(order.disk, order.root),
    hasScript: order.script !== undefined,
    ...(order.cloudInit && { cloudInit: order.cloudInit }),
  };
  const initrd = join(folder, 'initrd');
  const answer = join(folder, 'answer');
  const console = join(folder, 'console');
  const added = [{ path: INIT_PATH, mode: 0o755, bytes: Buffer.from(scrubInit(work)) }];
  if (order.script) added.push({ path: SCRIPT_PATH, mode: 0o600, bytes: Buffer.from(order.script.text) });
  writeFileSync(initrd, appendArchive(readFileSync(order.initrd), cpioArchive(added)), { mode: 0o600 });
  onWaiting?.('a small VM to edit the copy');
  const argv = scrubArgv({ disk: order.disk, vmlinux: order.vmlinux, initrd, answer, console, accelerator });
  const ran = await run(killedWithParent(argv), { timeoutMs: deadlineMs, signal });
  signal?.throwIfAborted();
  const report = startOf(answer, MAX_ANSWER_BYTES);
  const expected = [...scrubItems(work), ...(order.script?.items ?? [])];
  const problems = scrubProblems(report, expected);
  if (ran.code === 0 && problems.length === 0) return;
  const why = ran.code !== 0 ? howItEnded(ran, deadlineMs) : report === '' ? lastWords(console) : problems.join('; ');
  throw new UserError(`could not edit the copy of the disk: ${why}`, {
    code: 'vms/not-scrubbed',
    kept: 'Nothing was published; the instance the copy was made from is unchanged.',
    next: 'fix the cause above on that instance, then run the same command again',
    exitCode: 1,
  });
}

function howItEnded({ outcome, code, stderr }: CommandResult, deadlineMs: number): string {
  if (outcome === 'timed-out') return `the VM did not finish within ${deadlineMs / 1000} s`;
  return `qemu-system-x86_64 exited with ${code ?? outcome}: ${stderr.trim().split('\n').at(-1) ?? ''}`;
}

function lastWords(console: string): string {
  const lines = startOf(console, MAX_CONSOLE_BYTES).trim().split(/\r?\n/).slice(-3);
  return `the VM did not answer; its console ends with: ${lines.join(' / ')}`;
}

/** On a file system without sparse files, discarding a block silently keeps its bytes. */
async function needHoles(folder: string, { run, signal }: ScrubDeps): Promise<void> {
  const probe = join(folder, 'probe');
  writeFileSync(probe, Buffer.alloc(8192, 1));
  const ran = await run(['fallocate', '--punch-hole', '--offset', '0', '--length', '4096', probe], { signal });
  signal?.throwIfAborted();
  const hole = readFileSync(probe).subarray(0, 4096);
  if (ran.code === 0 && hole.every((byte) => byte === 0)) return;
  throw new UserError(`cannot wipe free blocks in ${folder}: ${ran.stderr.trim() || ran.outcome}`, {
    code: 'vms/no-holes',
    kept: 'Nothing was published.',
    next: 'keep the home folder (--home) on ext4, xfs, btrfs or tmpfs',
    exitCode: 1,
  });
}

/** Reads at most `maxBytes`; empty when the file does not exist. */
function startOf(path: string, maxBytes: number): string {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const bytes = Buffer.alloc(maxBytes);
    return bytes.subarray(0, readSync(fd, bytes)).toString();
  } finally {
    closeSync(fd);
  }
}

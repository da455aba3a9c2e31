// vms/qemu/machine/machines.ts: start, inspect and end the QEMU process of an instance. Only the process decides whether an instance is on.
import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { UserError } from '../../../base/errors.ts';
import { shownArgv } from '../../../base/shown-argv.ts';
import { trace } from '../../../base/trace.ts';
import { pidsWithOpenFile } from '../../../host/open-files.ts';
import { missingProgram } from '../../../host/run-tool.ts';
import { instanceFiles } from '../home/layout.ts';
import { freezing } from './freezing.ts';
import { NotAnswering } from './line-socket.ts';
import type { MachineRef, MachineState, Machines } from './machine.ts';
import { qmp } from './qmp.ts';

export type { MachineRef, MachineState, Machines } from './machine.ts';

const LAUNCH_DEADLINE_MS = 60_000;
const QUIT_DEADLINE_MS = 20_000;
const DISK_DEADLINE_MS = 60_000;
const LOOK_EVERY_MS = 50;
const STATE_DEADLINE_MS = 10_000;

export function qemuMachines(clock: Clock): Machines {
  /** Gives up after a while: what uses the disk then says why it cannot. */
  const dead = async (folder: string, signal?: AbortSignal): Promise<void> => {
    for (let waitedMs = 0; isDying(folder) && waitedMs < QUIT_DEADLINE_MS; waitedMs += LOOK_EVERY_MS) {
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
  };
  const gone = async (machine: MachineRef, withinMs: number): Promise<boolean> => {
    for (let waitedMs = 0; pidOf(machine) !== undefined; waitedMs += LOOK_EVERY_MS) {
      if (waitedMs >= withinMs) return false;
      await clock.sleep(LOOK_EVERY_MS);
    }
    await dead(machine.folder);
    return true;
  };
  const off = async ({ folder }: MachineRef): Promise<MachineState> => {
    await dead(folder);
    return 'off';
  };
  return {
    // An instance that is off has a disk that nothing uses.
    async state(machine) {
      if (pidOf(machine) === undefined) return off(machine);
      try {
        return stateOf(await qmp(machine.folder, 'query-status', {}, { deadlineMs: STATE_DEADLINE_MS }));
      } catch (error) {
        if (!(error instanceof NotAnswering)) throw error;
        return pidOf(machine) === undefined ? off(machine) : 'unknown';
      }
    },
    async launch(machine, argv, signal) {
      const { folder } = machine;
      await dead(folder, signal);
      await diskToBeFree(machine, clock, signal);
      const hasEnded = startDetached(folder, argv);
      for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
        signal?.throwIfAborted();
        // Another command may have started this process: only one QEMU can hold the pid file, so any process with our id will do.
        const isThere = pidOf(machine) !== undefined;
        if (isThere && (await qmp(folder, 'query-status').then(() => true, ignoreSilence))) return;
        if (!isThere && hasEnded()) throw couldNotStart(folder, 'it exited immediately');
        if (waitedMs >= LAUNCH_DEADLINE_MS) throw couldNotStart(folder, 'it does not answer on its QMP socket');
        await clock.sleep(LOOK_EVERY_MS, signal);
      }
    },
    async forwardedPorts(machine) {
      if (pidOf(machine) === undefined) return new Map();
      const usernet = await qmp(machine.folder, 'human-monitor-command', { 'command-line': 'info usernet' }).catch(
        ignoreSilence,
      );
      return forwardedIn(usernet);
    },
    async reset(machine) {
      if (pidOf(machine) !== undefined) await qmp(machine.folder, 'system_reset').catch(ignoreSilence);
    },
    async pressPower(machine) {
      if (pidOf(machine) !== undefined) await qmp(machine.folder, 'system_powerdown');
    },
    ...freezing(clock, gone),
    async end(machine) {
      if (pidOf(machine) === undefined) return;
      await qmp(machine.folder, 'quit').catch(ignoreSilence);
      if (await gone(machine, QUIT_DEADLINE_MS)) return;
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        sendSignal(pidOf(machine), signal);
        if (await gone(machine, QUIT_DEADLINE_MS)) return;
      }
      throw new UserError(`QEMU (process ${pidOf(machine)}) did not exit after SIGKILL`, {
        code: 'vms/qemu-stuck',
        exitCode: 1,
      });
    },
  };
}

/**
 * The pid of the machine's process. The command line is checked because the pid may have been reused, and a zombie has none. A process
 * without a pid file (not yet written, or removed) is found too, so that no command deletes a folder in which QEMU still runs.
 */
export function pidOf({ folder, vmId }: MachineRef): number | undefined {
  const written = Number(readIfThere(join(folder, instanceFiles.pid)).trim());
  if (isMachine(written, vmId)) return written;
  return readdirSync('/proc')
    .map(Number)
    .find((pid) => Number.isInteger(pid) && isMachine(pid, vmId));
}

/** QEMU was killed but the kernel has not finished: the command line is empty, and a thread may still hold the pid file and the disk. */
function isDying(folder: string): boolean {
  const pid = Number(readIfThere(join(folder, instanceFiles.pid)).trim());
  if (!Number.isInteger(pid) || pid <= 0 || readIfThere(`/proc/${pid}/cmdline`) !== '') return false;
  if (!readIfThere(`/proc/${pid}/comm`).startsWith('qemu')) return false;
  const stat = readIfThere(`/proc/${pid}/stat`);
  const isDead = stat === '' || 'ZX'.includes(stat[stat.lastIndexOf(')') + 2] ?? 'X');
  return !isDead || threadsOf(pid) > 1;
}

/** Waits for a tool of a killed command: a kill reaches it, but its last write to the disk may still be in progress. */
async function diskToBeFree(machine: MachineRef, clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  const disk = join(machine.folder, instanceFiles.disk);
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const users = pidsWithOpenFile(disk);
    // The machine itself may have the disk open, if another command started it first.
    const pid = users.length > 0 ? users.find((user) => user !== pidOf(machine)) : undefined;
    if (pid === undefined) return;
    if (waitedMs >= DISK_DEADLINE_MS) {
      const name = readIfThere(`/proc/${pid}/comm`).trim();
      throw new UserError(`process ${pid} (${name}) has the disk ${disk} open`, {
        code: 'vms/disk-in-use',
        kept: 'The instance and its disk are unchanged.',
        next: 'end that process, then run the same command again',
        exitCode: 1,
      });
    }
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

function threadsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).length;
  } catch {
    return 0; // the process has exited
  }
}

function isMachine(pid: number, vmId: string): boolean {
  const argv = readIfThere(`/proc/${pid}/cmdline`).split('\0');
  return argv[argv.indexOf('-uuid') + 1] === vmId;
}

function sendSignal(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // ESRCH: the process has just exited
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Starts QEMU in its own session, so that it survives us and a Ctrl-C. The result tells whether it has exited. */
function startDetached(folder: string, [program, ...args]: readonly [string, ...string[]]): () => boolean {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const log = openSync(join(folder, instanceFiles.log), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  try {
    // QEMU may run for weeks: it inherits only PATH, to find the programs it starts, and no secrets.
    const env = { PATH: process.env.PATH };
    trace('run', `${shownArgv([program, ...args])}: started`);
    const child = spawn(program, args, { cwd: folder, detached: true, stdio: ['ignore', log, log], env });
    let hasEnded = false;
    let failure: Error | undefined;
    child.on('exit', () => {
      hasEnded = true;
    });
    child.on('error', (error) => {
      failure = error;
    });
    child.unref();
    return () => {
      if (failure) throw notInstalled(program, failure);
      return hasEnded;
    };
  } finally {
    closeSync(log);
  }
}

const statusSchema = z.object({ status: z.string() });

function stateOf(answer: unknown): MachineState {
  const { status } = statusSchema.parse(answer);
  if (status === 'running') return 'running';
  if (status === 'prelaunch') return 'starting';
  if (['paused', 'inmigrate', 'postmigrate', 'finish-migrate'].includes(status)) return 'paused';
  if (status === 'shutdown') return 'stopping';
  return status === 'io-error' ? 'full' : 'unknown';
}

/** `TCP[HOST_FORWARD]  12        127.0.0.1 45678       168.1.0.4    22 …` */
export function forwardedIn(answer: unknown): ReadonlyMap<number, number> {
  const lines = String(answer).matchAll(/HOST_FORWARD\]\s+\d+\s+127\.0\.0\.1\s+(\d+)\s+\S+\s+(\d+)\s/g);
  return new Map([...lines].map(([, host, guest]) => [Number(guest), Number(host)]));
}

function couldNotStart(folder: string, why: string): UserError {
  const log = readIfThere(join(folder, instanceFiles.log)).trim().slice(-2000);
  return new UserError(`could not start QEMU: ${why}${log && `\n${log}`}`, {
    code: 'vms/qemu-failed',
    exitCode: 1,
  });
}

function notInstalled(program: string, cause: Error): UserError {
  return missingProgram(program, cause);
}

function ignoreSilence(error: unknown): undefined {
  if (!(error instanceof NotAnswering)) throw error;
}

// cluster/local/standing-process.ts: a server that outlives the command which started it: start it, find it again, send it a signal.
import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Argv } from '../../base/command.ts';
import { isMissing } from '../../vms/qemu/json-file.ts';

export interface Running {
  pid: number;
  sinceMs: number;
}

export interface StandingProcesses {
  /**
   * By the folder it runs in and its name, so nothing has to be written down: whoever was killed right after starting it has left it
   * findable, and a number that was given to somebody else in the meantime is not taken for it.
   */
  find(folder: string, server: string): Running | undefined;
  /** Its log is begun anew; the one before is kept. The answer tells why it has ended, as long as this command lives; undefined: it runs. */
  start(folder: string, argv: Argv, logs: { log: string; previousLog: string }): () => string | undefined;
  /** To a process that is still the one which was found. */
  signal(folder: string, server: string, signal: NodeJS.Signals): void;
}

export const standingProcesses: StandingProcesses = {
  find: (folder, server) => {
    const place = placeOf(folder);
    if (place === undefined) return undefined;
    const pid = readdirSync('/proc')
      .map(Number)
      .find(
        (number) => Number.isInteger(number) && isServer(number, server) && placeOf(`/proc/${number}/cwd`) === place,
      );
    return pid === undefined ? undefined : { pid, sinceMs: startedMs(pid) };
  },
  start: startDetached,
  signal(folder, server, signal) {
    const found = standingProcesses.find(folder, server);
    try {
      if (found) process.kill(found.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has just ended
    }
  },
};

/** In a session of its own, so that neither our end nor a Ctrl-C is its end. */
function startDetached(
  folder: string,
  [program, ...args]: Argv,
  { log, previousLog }: { log: string; previousLog: string },
): () => string | undefined {
  keepPrevious(log, previousLog);
  const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND } = constants;
  const output = openSync(log, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0o600);
  try {
    // What stands for weeks is given nothing of the environment of whoever happened to start it.
    const env = { PATH: process.env.PATH };
    const child = spawn(program, args, { cwd: folder, detached: true, stdio: ['ignore', output, output], env });
    let why: string | undefined;
    child.on('exit', (code, signal) => {
      why = `ended with ${signal ?? `code ${code}`}`;
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      why = `cannot be run (${error.code})`;
    });
    child.unref();
    return () => why;
  } finally {
    closeSync(output);
  }
}

function keepPrevious(log: string, previousLog: string): void {
  try {
    renameSync(log, previousLog);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** A process that has ended and that nobody has looked at yet has no command line. */
function isServer(pid: number, server: string): boolean {
  const [program = ''] = readProc(`/proc/${pid}/cmdline`).split('\0');
  return basename(program) === server;
}

/** Undefined for what is not there and for the working folder of somebody else's process. */
function placeOf(folder: string): string | undefined {
  try {
    const { dev, ino } = statSync(folder, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** The kernel counts in hundredths of a second since it booted, on every architecture. */
function startedMs(pid: number): number {
  const stat = readProc(`/proc/${pid}/stat`);
  const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? 0);
  const bootedSeconds = Number(/^btime (\d+)$/m.exec(readProc('/proc/stat'))?.[1] ?? 0);
  return bootedSeconds * 1000 + ticks * 10;
}

function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it has ended in the meantime
  }
}

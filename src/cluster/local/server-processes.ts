// cluster/local/server-processes.ts: starts servers that outlive the command, finds them again and sends them signals.
import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync, readFileSync, readlinkSync, renameSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Argv } from '../../base/command.ts';
import { shownArgv } from '../../base/shown-argv.ts';
import { trace } from '../../base/trace.ts';
import { isMissing } from '../../host/json-file.ts';

export interface RunningServer {
  pid: number;
  sinceMs: number;
  argv: readonly string[];
}

export interface StartOptions {
  log: string;
  previousLog: string;
  /** argv[0], if it is not the name of the program. */
  argv0?: string;
}

/** A server whose folder was removed while it ran, so that no command of its cluster finds it. */
export interface Orphan {
  server: string;
  pid: number;
  /** The removed folder. */
  folder: string;
}

export interface ServerProcesses {
  /**
   * By its working folder and name instead of a pid file: a server is found even if the command was killed right after the start, and
   * a reused pid is not mistaken for it.
   */
  find(folder: string, server: string): RunningServer | undefined;
  /** Starts a new log and keeps the previous one. The result returns why the server ended, undefined while it runs. */
  start(folder: string, argv: Argv, options: StartOptions): () => string | undefined;
  /** Those of these servers whose removed folder was in `parent`. */
  findOrphans(parent: string, servers: readonly string[]): Orphan[];
  /** Finds the process again first, so that the signal never goes to a reused pid. */
  signal(folder: string, server: string, signal: NodeJS.Signals): void;
}

export const serverProcesses: ServerProcesses = {
  find: (folder, server) => {
    const place = folderIdOf(folder);
    if (place === undefined) return undefined;
    const pid = pids().find((number) => isServer(number, server) && folderIdOf(`/proc/${number}/cwd`) === place);
    return pid === undefined ? undefined : { pid, sinceMs: startedMs(pid), argv: argvOf(pid) };
  },
  findOrphans: (parent, servers) =>
    pids().flatMap((pid) => {
      const server = servers.find((name) => isServer(pid, name));
      const [, folder] = (server !== undefined && /^(.*) \(deleted\)$/s.exec(workingFolder(pid))) || [];
      return server !== undefined && folder?.startsWith(`${parent}/`) ? [{ server, pid, folder }] : [];
    }),
  start: startDetached,
  signal(folder, server, signal) {
    const found = serverProcesses.find(folder, server);
    try {
      if (found) process.kill(found.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has just exited
    }
  },
};

/** In a new session, so that neither the exit of this command nor Ctrl-C stops it. */
function startDetached(
  folder: string,
  [program, ...args]: Argv,
  { log, previousLog, argv0 }: StartOptions,
): () => string | undefined {
  keepPrevious(log, previousLog);
  const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND } = constants;
  const output = openSync(log, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0o600);
  try {
    // A server that runs for weeks must not inherit the environment of the user who started it.
    const env = { PATH: process.env.PATH };
    trace('run', `${shownArgv([program, ...args])}: started`);
    const child = spawn(program, args, {
      cwd: folder,
      detached: true,
      stdio: ['ignore', output, output],
      env,
      ...(argv0 !== undefined && { argv0 }),
    });
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

const pids = () => readdirSync('/proc').map(Number).filter(Number.isInteger);

/** From the kernel; ends with ` (deleted)` if the folder was removed. */
function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return ''; // it has exited, or belongs to another user
  }
}

/** A zombie has no command line. */
function isServer(pid: number, server: string): boolean {
  const [program = ''] = argvOf(pid);
  return basename(program) === server;
}

const argvOf = (pid: number) => readProc(`/proc/${pid}/cmdline`).split('\0').slice(0, -1);

/** undefined if it does not exist or is the working folder of another user's process. */
function folderIdOf(folder: string): string | undefined {
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
    return ''; // it has exited in the meantime
  }
}

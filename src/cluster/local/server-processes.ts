// cluster/local/server-processes.ts: a server that outlives the command which started it: start it, find it again, send it a signal.
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
  /** What it was told. */
  argv: readonly string[];
}

export interface StartOptions {
  log: string;
  previousLog: string;
  /** What it is called, where that is not the name of its program. */
  argv0?: string;
}

/** It was not stopped before its folder was removed, so no command for its cluster finds it any more. */
export interface Orphan {
  server: string;
  pid: number;
  /** That is gone. */
  folder: string;
}

export interface ServerProcesses {
  /**
   * By the folder it runs in and its name, so nothing has to be written down: whoever was killed right after starting it has left it
   * findable, and a number that was given to somebody else in the meantime is not taken for it.
   */
  find(folder: string, server: string): RunningServer | undefined;
  /** Its log is begun anew; the one before is kept. The answer tells why it has ended, as long as this command lives; undefined: it runs. */
  start(folder: string, argv: Argv, options: StartOptions): () => string | undefined;
  /** Of these servers, those that run in a folder that was in this one. */
  findOrphans(parent: string, servers: readonly string[]): Orphan[];
  /** To a process that is still the one which was found. */
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
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has just ended
    }
  },
};

/** In a session of its own, so that neither our end nor a Ctrl-C is its end. */
function startDetached(
  folder: string,
  [program, ...args]: Argv,
  { log, previousLog, argv0 }: StartOptions,
): () => string | undefined {
  keepPrevious(log, previousLog);
  const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND } = constants;
  const output = openSync(log, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0o600);
  try {
    // What stands for weeks is given nothing of the environment of whoever happened to start it.
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

/** As the kernel writes it. */
function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return ''; // it has ended, or is somebody else's
  }
}

/** A process that has ended and that nobody has looked at yet has no command line. */
function isServer(pid: number, server: string): boolean {
  const [program = ''] = argvOf(pid);
  return basename(program) === server;
}

const argvOf = (pid: number) => readProc(`/proc/${pid}/cmdline`).split('\0').slice(0, -1);

/** Undefined for what is not there and for the working folder of somebody else's process. */
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
    return ''; // it has ended in the meantime
  }
}

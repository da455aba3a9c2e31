// e2e/labs/child.ts: a server as a child process that never outlives the test.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { UserError } from '../../src/base/errors.ts';
import { logTail } from '../../src/cluster/local/log-tail.ts';

export interface Child {
  name: string;
  /** Why it stopped, with the end of its log; undefined while it runs. */
  failure(): UserError | undefined;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  stop(): Promise<void>;
}

/** The kernel kills the child when this process dies in any way; without this tool only an orderly exit does. */
const SETPRIV = '/usr/bin/setpriv';
const TERM_MS = 10_000;

export function startChild(name: string, argv: readonly [string, ...string[]], logFile: string): Child {
  const log = openSync(logFile, 'a', 0o600);
  const [program, ...args] = existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'KILL', '--', ...argv] : argv;
  const child = spawn(program, args, { stdio: ['ignore', log, log] });
  closeSync(log);
  let failure: string | undefined;
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      failure = error.message;
      resolve();
    });
    child.once('exit', (code, signal) => {
      failure = `ended with ${signal ?? `code ${code}`}`;
      resolve();
    });
  });
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  return {
    name,
    failure: () => (failure === undefined ? undefined : gone(name, failure, logFile)),
    signal: (signal) => void child.kill(signal),
    stop: async () => {
      process.removeListener('exit', killAtExit);
      await end(child, ended);
    },
  };
}

async function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  child.kill('SIGCONT'); // a paused process could not end
  const impatient = setTimeout(() => child.kill('SIGKILL'), TERM_MS);
  await ended;
  clearTimeout(impatient);
}

function gone(name: string, why: string, logFile: string): UserError {
  return new UserError(`${name} ${why}\n${logTail(logFile)}`, {
    code: 'cluster/plane-failed',
    next: `read ${logFile}`,
    exitCode: 1,
  });
}

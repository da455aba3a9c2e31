// cluster/ssh-channel.ts: runs a script on a machine outside any cluster: over ssh, as root, on standard input.
import type { RunCommand } from '../base/command.ts';
import { TransientError, UserError } from '../base/errors.ts';
import { sshMissing } from '../base/ssh-program.ts';
import type { ScriptResult } from './cluster.ts';

export interface SshChannel {
  run(script: string, options: { deadlineMs: number; signal?: AbortSignal }): Promise<ScriptResult>;
  /** Whether the machine answers. Does not throw if it does not. */
  isAnswering(signal?: AbortSignal): Promise<boolean>;
}

const ANSWER_MS = 30_000;
/** ssh's own exit code if it could not connect. */
const NOT_CONNECTED = 255;
const AS_ROOT = 'if [ "$(id -u)" = 0 ]; then exec sh -s; else exec sudo -n sh -s; fi';

/** The target is an ssh destination: a host of its configuration, HOST or USER@HOST. */
export function sshChannel(target: string, run: RunCommand, program = 'ssh'): SshChannel {
  if (!/^[^-\s\p{Cc}][^\s\p{Cc}]*$/u.test(target)) {
    throw new UserError(`${JSON.stringify(target)} is not a host to connect to`, {
      code: 'prototype/bad-host',
      next: 'give --over-ssh USER@HOST, as you would to ssh',
    });
  }
  const ssh = (command: string, limits: { timeoutMs: number; signal?: AbortSignal | undefined; input?: string }) =>
    run([program, '-T', '-o', 'BatchMode=yes', '-o', 'ConnectTimeout=15', '--', target, command], limits);
  return {
    async run(script, { deadlineMs, signal }) {
      const ran = await ssh(AS_ROOT, { timeoutMs: deadlineMs, signal, input: script });
      signal?.throwIfAborted();
      if (ran.outcome === 'missing') throw noClient(program);
      if (ran.outcome !== 'exited' || ran.code === null || ran.code === NOT_CONNECTED) {
        const why = ran.outcome === 'exited' ? ran.stderr.trim().split('\n').at(-1) : ran.outcome;
        throw new TransientError(`could not run a script on ${target} over ssh: ${why}`, { code: 'prototype/ssh' });
      }
      return { exitCode: ran.code, stdout: ran.stdout.toString(), stderr: ran.stderr };
    },
    async isAnswering(signal) {
      const ran = await ssh('true', { timeoutMs: ANSWER_MS, signal });
      signal?.throwIfAborted();
      if (ran.outcome === 'missing') throw noClient(program);
      return ran.outcome === 'exited' && ran.code === 0;
    },
  };
}

function noClient(program: string): UserError {
  const { why, next } = sshMissing(program);
  return new UserError(why, { code: 'prototype/no-ssh-client', next, exitCode: 1 });
}

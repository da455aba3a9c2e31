// cli/pool/ssh.ts: `headstart pool ssh INSTANCE`: opens a shell in the guest, with the pool's key and the host key read through the guest agent.

import { spawn } from 'node:child_process';
import { UserError } from '../../base/errors.ts';
import { shownArgv } from '../../base/shown-argv.ts';
import { trace } from '../../base/trace.ts';
import { admitKey } from '../../local/admit-key.ts';
import { callGuest, requireRunning } from '../../local/call-guest.ts';
import { findLocalInstance } from '../../local/find.ts';
import { sshArgv } from '../../local/ssh-command.ts';
import { type OpenPools, openPools, type PoolOptions, withPoolOptions } from '../compose/open-pools.ts';
import { printJson } from '../output/json.ts';
import type { Verb } from '../verb.ts';

/** Runs a program on this terminal until it ends; returns its exit code. */
export type RunInForeground = (argv: readonly [string, ...string[]]) => Promise<number>;

export const verb = poolSsh(openPools, runInForeground);

export function poolSsh(open: OpenPools, runIt: RunInForeground): Verb {
  return {
    examples: ['pool ssh pool1-000001', 'pool ssh pool1-000001 -- journalctl -b -n 20'],
    configure: (command) =>
      withPoolOptions(command)
        .argument('<INSTANCE>', 'the instance, as `pool show` lists it')
        .argument('[CMD...]', 'run this command instead of a shell; goes after --'),
    async run([name = '', ...command], options: PoolOptions, deps) {
      const signal = deps.signal();
      const provider = await open(options, deps);
      const instance = requireRunning(await findLocalInstance(provider, name, { signal }));
      const argv = sshArgv(await callGuest(instance, () => admitKey(provider, instance, signal)), command);
      // --json prints the ssh command without running it, for scp, rsync and scripts.
      if (options.json) return printJson(deps, 'PoolSsh', { instance: name, argv });
      return runIt(argv);
    },
  };
}

function runInForeground([program, ...args]: readonly [string, ...string[]]): Promise<number> {
  return new Promise((resolve, reject) => {
    trace('run', `${shownArgv([program, ...args])}: started`);
    const child = spawn(program, args, { stdio: 'inherit' });
    child.on('error', (cause) => {
      const next = 'install an ssh client (the package openssh-client), then run this again';
      reject(
        new UserError(`cannot run ${program}: ${cause.message}`, {
          code: 'pool/no-ssh-client',
          next,
          exitCode: 1,
          cause,
        }),
      );
    });
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

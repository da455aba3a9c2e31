// cli/pool/ssh.ts: `headstart pool ssh INSTANCE`: a shell in the guest, with the pool's key and a host key learned from inside.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files.ts';
import { shownArgv } from '../../base/shown-argv.ts';
import { trace } from '../../base/trace.ts';
import type { Instance } from '../../vms/pools.ts';
import { poolKey } from '../../vms/qemu/home/layout.ts';
import type { QemuFactory } from '../../vms/qemu/local-factory.ts';
import { type OpenPools, openPools, type PoolOptions, withPoolOptions } from '../compose/open-pools.ts';
import { printJson } from '../output/json.ts';
import type { Verb } from '../verb.ts';
import { askGuest, requireRunning } from './ask-guest.ts';
import { findInstance } from './find.ts';
import { admitScript, knownHosts, sshArgv } from './ssh-command.ts';

/** Runs a program on our own terminal until it ends; its exit code. */
export type RunInForeground = (argv: readonly [string, ...string[]]) => Promise<number>;

export const verb = poolSsh(openPools, runInForeground);

export function poolSsh(open: OpenPools, runIt: RunInForeground): Verb {
  return {
    examples: ['pool ssh pool1-000001', 'pool ssh pool1-000001 -- journalctl -b -n 20'],
    configure: (command) =>
      withPoolOptions(command)
        .argument('<INSTANCE>', 'the instance, as `pool show` lists it')
        .argument('[CMD...]', 'run this command instead of a shell; goes after --'),
    async run([name = '', ...command], options: PoolOptions, edges) {
      const signal = edges.signal();
      const factory = await open(options, edges);
      const instance = requireRunning(await findInstance(factory, name, { signal }));
      const argv = sshArgv(await askGuest(instance, () => admit(factory, instance, signal)), command);
      // With --json the connection is told, not made: scp, rsync and scripts make their own.
      if (options.json) return printJson(edges, 'PoolSsh', { instance: name, argv });
      return runIt(argv);
    },
  };
}

const DEADLINE_MS = 60_000;

/** The key is let in and the host key is read through the guest's agent: nothing is believed that came over the network. */
async function admit(factory: QemuFactory, { ref, computerName }: Instance, signal: AbortSignal) {
  const { folder, sshPort } = await factory.guests.placeOf(ref);
  if (sshPort === undefined) throw noWayIn(computerName, 'it has no port on this machine');
  const identityFile = join(dirname(dirname(folder)), poolKey);
  const publicKey = readPublicKey(`${identityFile}.pub`, computerName);
  const { exitCode, stdout, stderr } = await factory.guests.runInGuest(ref, ['/bin/sh', '-s'], {
    input: admitScript(publicKey),
    deadlineMs: DEADLINE_MS,
    signal,
  });
  if (exitCode !== 0) throw noWayIn(computerName, stderr.toString().trim().slice(0, 500) || `exit code ${exitCode}`);
  const hosts = knownHosts(computerName, stdout.toString());
  if (hosts === '') throw noWayIn(computerName, 'its ssh server has no host key yet');
  const knownHostsFile = join(folder, 'known_hosts');
  writeFileAtomic(knownHostsFile, hosts, 0o600);
  return { name: computerName, port: sshPort, identityFile, knownHostsFile };
}

function readPublicKey(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw noWayIn(name, `the key of its pool cannot be read (${(cause as NodeJS.ErrnoException).code})`, cause);
  }
}

function noWayIn(name: string, why: string, cause?: unknown): UserError {
  return new UserError(`cannot connect to ${name}: ${why}`, {
    code: 'pool/no-ssh',
    next: `headstart pool exec ${name} -- CMD needs no ssh; headstart pool logs ${name} shows how far it has come`,
    exitCode: 1,
    cause,
  });
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

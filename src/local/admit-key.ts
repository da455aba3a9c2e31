// local/admit-key.ts: prepare ssh to an instance: authorize the pool's key in the guest and read the guest's host keys.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files.ts';
import type { Instance } from '../vms/pools.ts';
import { poolKey } from '../vms/qemu/home/layout.ts';
import type { QemuProvider } from '../vms/qemu/local-provider.ts';
import { admitScript, knownHosts, type SshTarget } from './ssh-command.ts';

const DEADLINE_MS = 60_000;

/** Both go through the guest agent, so that nothing from the network has to be trusted. */
export async function admitKey(
  provider: Pick<QemuProvider, 'guests'>,
  { ref, computerName }: Instance,
  signal: AbortSignal,
): Promise<SshTarget> {
  const { folder, sshPort } = await provider.guests.readDetails(ref);
  if (sshPort === undefined) throw noWayIn(computerName, 'its ssh port is not forwarded');
  const identityFile = join(dirname(dirname(folder)), poolKey);
  const publicKey = readPublicKey(`${identityFile}.pub`, computerName);
  const { exitCode, stdout, stderr } = await provider.guests.runInGuest(ref, ['/bin/sh', '-s'], {
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
    next: `headstart pool exec ${name} -- CMD needs no ssh; headstart pool logs ${name} shows its boot progress`,
    exitCode: 1,
    cause,
  });
}

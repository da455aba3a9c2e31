// demo/identity.ts: which identifiers must differ between two machines? Read inside each machine.
import type { Stage } from './stage.ts';

export interface Identity {
  instance: string;
  hostName: string;
  machineId: string;
  hostKey: string;
}

export async function readIdentity(stage: Stage, instance: string): Promise<Identity> {
  const inside = async (...command: string[]) =>
    (await stage.ask('pool', 'exec', '--no-stdin', instance, '--', ...command)).trim();
  const key = await inside('ssh-keygen', '-l', '-f', '/etc/ssh/ssh_host_ed25519_key.pub');
  return {
    instance,
    hostName: await inside('cat', '/proc/sys/kernel/hostname'),
    machineId: await inside('cat', '/etc/machine-id'),
    hostKey: /SHA256:\S+/.exec(key)?.[0] ?? key,
  };
}

/** Identifiers that two machines share; empty if all differ. */
export function sharedIdentifiers(identities: readonly Identity[]): string[] {
  return (['hostName', 'machineId', 'hostKey'] as const).filter(
    (field) => new Set(identities.map((identity) => identity[field])).size < identities.length,
  );
}

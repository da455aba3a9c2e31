// cli/cluster/egress.ts: the program `headstart-egress` of a local cluster, run in its folder: `node egress.ts HOME CLUSTER`. Which
// instances of this home are nodes of that cluster, and where on this machine do their kubelets listen?
import { systemClock } from '../../base/clock.ts';
import { runCommand } from '../../base/command.ts';
import { type ClusterPlace, EGRESS_SOCKET } from '../../cluster/local/cluster-files.ts';
import { startEgress } from '../../cluster/local/egress-proxy.ts';
import { visibleIn } from '../../host/whole-folders.ts';
import { instanceRecordsOf, readPoolRecord } from '../../vms/qemu/home/instance-records.ts';
import { poolRef, poolsFolder } from '../../vms/qemu/home/layout.ts';
import type { QemuFactory } from '../../vms/qemu/local-factory.ts';
import { createQemuFactory } from '../../vms/qemu/qemu-factory.ts';
import { guestCommands } from '../compose/guest-commands.ts';

/** Looked up each time: pools come and go, and QEMU has another port at each start. */
export function kubeletFinder(
  { home, name }: ClusterPlace,
  factory: Pick<QemuFactory, 'guests'>,
): (address: string) => Promise<number | undefined> {
  return async (address) => {
    for (const pool of visibleIn(poolsFolder(home)).map(poolRef)) {
      if (readPoolRecord(home, pool)?.spec.cluster !== name) continue;
      const instance = instanceRecordsOf(home, pool).find((record) => record.address === address);
      if (instance) return (await factory.guests.placeOf({ pool, id: instance.id })).kubeletPort;
    }
    return undefined;
  };
}

async function main([home, name]: string[]): Promise<void> {
  if (home === undefined || name === undefined) throw new Error('usage: egress.ts HOME CLUSTER');
  process.umask(0o077);
  const factory = createQemuFactory({ home, clock: systemClock, run: runCommand, ...guestCommands({}) });
  const tell = (line: string) => console.log(`${new Date().toISOString()} ${line}`);
  // In the folder it runs in: an address of a socket holds 107 bytes, and the folder's name may be longer.
  const egress = await startEgress({
    socket: EGRESS_SOCKET,
    findKubelet: kubeletFinder({ home, name }, factory),
    tell,
  });
  tell(`leads to the kubelets of cluster ${name}`);
  process.once('SIGTERM', () => void egress.close().then(() => process.exit(0)));
}

if (import.meta.main) await main(process.argv.slice(2));

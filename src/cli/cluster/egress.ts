// cli/cluster/egress.ts: the program `headstart-egress` of a local cluster, run in its folder: `node egress.ts HOME CLUSTER`.
import { systemClock } from '../../base/clock.ts';
import { runCommand } from '../../base/command.ts';
import { EGRESS_SOCKET } from '../../cluster/local/cluster-files.ts';
import { startEgress } from '../../cluster/local/egress-proxy.ts';
import { kubeletFinder } from '../../local/find-kubelet.ts';
import { createQemuFactory } from '../../vms/qemu/qemu-factory.ts';
import { guestCommands } from '../compose/guest-commands.ts';

async function main([home, name]: string[]): Promise<void> {
  if (home === undefined || name === undefined) throw new Error('usage: egress.ts HOME CLUSTER');
  process.umask(0o077);
  const factory = createQemuFactory({ home, clock: systemClock, run: runCommand, ...guestCommands({}) });
  const tell = (line: string) => console.log(`${new Date().toISOString()} ${line}`);
  // In the folder it runs in: an address of a socket holds 107 bytes, and the folder's name may be longer.
  const egress = await startEgress({
    socket: EGRESS_SOCKET,
    findKubelet: kubeletFinder({ home, name }, factory),
    log: tell,
  });
  tell(`leads to the kubelets of cluster ${name}`);
  process.once('SIGTERM', () => void egress.close().then(() => process.exit(0)));
}

if (import.meta.main) await main(process.argv.slice(2));

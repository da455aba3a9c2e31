// cli/cluster/egress.ts: the program `headstart-egress` of a local cluster, run in its folder: `node egress.ts HOME CLUSTER`.
import { systemClock } from '../../base/clock.ts';
import { runCommand } from '../../base/command.ts';
import { EGRESS_SOCKET } from '../../cluster/local/cluster-files.ts';
import { startEgress } from '../../cluster/local/egress-proxy.ts';
import { kubeletFinder } from '../../local/find-kubelet.ts';
import { createQemuProvider } from '../../vms/qemu/qemu-provider.ts';
import { guestCommands } from '../compose/guest-commands.ts';

async function main([home, name]: string[]): Promise<void> {
  if (home === undefined || name === undefined) throw new Error('usage: egress.ts HOME CLUSTER');
  process.umask(0o077);
  const provider = createQemuProvider({ home, clock: systemClock, run: runCommand, ...guestCommands({}) });
  const log = (line: string) => console.log(`${new Date().toISOString()} ${line}`);
  // A relative path: a socket address holds 107 bytes, and the path of the folder may be longer.
  const egress = await startEgress({
    socket: EGRESS_SOCKET,
    findKubelet: kubeletFinder({ home, name }, provider),
    log,
  });
  log(`forwards to the kubelets of cluster ${name}`);
  process.once('SIGTERM', () => void egress.close().then(() => process.exit(0)));
}

void main(process.argv.slice(2));

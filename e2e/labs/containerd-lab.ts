// e2e/labs/containerd-lab.ts: a real containerd with its CRI plugin, on a given folder, in its own namespaces; used with ctr and as kubelet would.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../../src/base/command.ts';
import type { ContainerdPrograms } from '../programs/ensure-containerd.ts';

export interface ContainerdLab {
  socket: string;
  /** Its standard output; throws when it fails. */
  ctr(...args: string[]): Promise<string>;
  /** The same for any program in containerd's namespaces. */
  inside(...argv: string[]): Promise<string>;
  log(): string;
  stop(): Promise<void>;
}

const START_MS = 30_000;

/** Needs root. */
export async function startContainerd(store: string, programs: ContainerdPrograms): Promise<ContainerdLab> {
  const folder = mkdtempSync(join(tmpdir(), 'hs-containerd-')); // short, because the path of a socket is limited
  const [socket, config, log] = [join(folder, 'c.sock'), join(folder, 'config.toml'), join(folder, 'log')];
  writeFileSync(config, configOf(store, folder, socket));
  const env = { PATH: `${programs.folder}:/usr/sbin:/usr/bin:/sbin:/bin` };
  const script = 'mount -t tmpfs tmpfs /run && exec "$1" --config "$2" >"$3" 2>&1';
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const child = spawn('unshare', [...namespaces, 'sh', '-c', script, 'sh', programs.containerd, config, log], {
    stdio: 'ignore',
    env,
  });
  const lab: ContainerdLab = {
    socket,
    ctr: (...args) => lab.inside(programs.ctr, '--address', socket, '--namespace', 'k8s.io', ...args),
    async inside(...argv) {
      const enter = ['nsenter', '--target', String(firstProcess(child)), '--mount', '--pid'] as const;
      const ran = await runCommand([...enter, ...argv], { env });
      if (ran.code !== 0) throw new Error(`${argv.join(' ')}: ${ran.outcome} ${ran.stderr}`);
      return ran.stdout.toString();
    },
    log: () => readFileSync(log, 'utf8'),
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  const deadline = performance.now() + START_MS;
  while (!existsSync(socket) || !lab.log().includes('containerd successfully booted')) {
    if (performance.now() > deadline || child.exitCode !== null) {
      const said = existsSync(log) ? lab.log() : '';
      await lab.stop();
      throw new Error(`containerd did not start:\n${said}`);
    }
    await sleep(50);
  }
  return lab;
}

/** unshare(1)'s only child: containerd, the first process of the namespaces. */
function firstProcess({ pid }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}

/** Redirects everything that it would write outside its folders. */
function configOf(store: string, folder: string, socket: string): string {
  return `version = 2
root = "${store}"
state = "/run/containerd"
[grpc]
address = "${socket}"
[plugins."io.containerd.internal.v1.opt"]
path = "${folder}/opt"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "registry.k8s.io/pause:3.10"
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "${folder}/cni-bin"
conf_dir = "${folder}/cni-conf"
`;
}

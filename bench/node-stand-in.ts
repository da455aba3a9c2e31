// bench/node-stand-in.ts: a folder and a few programs that stand in for a node, and the daemon that runs on it.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type ListenOptions, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import type { Imds } from '../src/vms/qemu/metadata-service/start.ts';

export interface Lab {
  folder: string;
  executable: string;
  imds: Imds;
}

export interface Node {
  root: string;
  /** Goes first on PATH. */
  programs: string;
  /** What was called, and when. */
  calls: string;
}

export function makeNode(folder: string): Node {
  const node = { root: join(folder, 'root'), programs: join(folder, 'bin'), calls: join(folder, 'calls') };
  const release = { apiVersion: 'headstart.dev/v1', kind: 'ImageRelease', name: 'bench', version: '1' };
  const files: Record<string, string> = {
    'usr/lib/headstart/release.json': JSON.stringify({ ...release, kubernetesVersion: '1.34.2' }),
    'etc/kubernetes/kubelet/config.yaml':
      '{"apiVersion":"kubelet.config.k8s.io/v1beta1","kind":"KubeletConfiguration"}',
    'etc/containerd/config.toml': 'version = 2\n',
    'proc/sys/vm/max_map_count': '65530\n',
    'proc/sys/kernel/hostname': 'localhost\n',
    'etc/machine-id': '0123456789abcdef0123456789abcdef\n',
  };
  for (const [path, text] of Object.entries(files)) writeDeep(join(node.root, path), text);
  for (const [name, does] of Object.entries(programsOf(folder))) {
    const program = join(node.programs, name);
    writeDeep(program, `#!/bin/bash\necho "$EPOCHREALTIME ${name} $*" >>'${node.calls}'\n${does}\n`);
    chmodSync(program, 0o755);
  }
  writeFileSync(node.calls, '');
  return node;
}

/** As little as it takes to be believed: rules that were loaded are there, and kubelet runs once it may. */
function programsOf(folder: string): Record<string, string> {
  const [rules, ready] = [`'${folder}/rules'`, `'${folder}/ready'`];
  return {
    nft: `if [ "$1" = -f ]; then cp "$2" ${rules}; elif [ -e ${rules} ]; then cat ${rules}; else exit 1; fi`,
    'systemd-notify': `[ "$1" != --ready ] || : >${ready}`,
    modprobe: '',
    systemctl: `[ "$1" = show ] || exit 0
state=inactive started=0; [ ! -e ${ready} ] || state=active started=1
for unit in "\${@:4}"; do printf 'Id=%s\\nLoadState=loaded\\nActiveState=%s\\nUnitFileState=enabled\\nType=simple\\nResult=success\\nNRestarts=0\\nExecMainStartTimestampMonotonic=%s\\n\\n' "$unit" $state $started; done`,
  };
}

function writeDeep(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** What the daemon asks after a change: kubelet where it says how it is, and containerd's socket. */
export async function beHealthy({ root }: Node): Promise<Server[]> {
  const socket = join(root, 'run/containerd/containerd.sock');
  mkdirSync(dirname(socket), { recursive: true });
  const kubelet = createHttpServer((_request, response) => response.end('ok'));
  const containerd = createServer((connection) => connection.destroy());
  const open = (server: Server, where: ListenOptions) =>
    new Promise<void>((resolve) => {
      server.once('error', () => resolve()); // a real kubelet uses the port and answers
      server.listen(where, () => resolve());
    });
  await open(kubelet, { host: '127.0.0.1', port: 10248 });
  await open(containerd, { path: socket });
  return [kubelet, containerd];
}

export function startDaemon({ executable, imds }: Lab, { root, programs }: Node) {
  const startedMs = performance.now();
  const argv = [
    'node',
    'run',
    '--root',
    root,
    '--platform',
    'azure',
    '--metadata-url',
    imds.url,
    '--wire-server',
    imds.url,
  ];
  const env = { PATH: `${programs}:/usr/bin:/bin`, NOTIFY_SOCKET: '/nowhere' };
  const child: ChildProcess = spawn(executable, argv, { stdio: ['ignore', 'ignore', 'pipe'], env });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  let said = '';
  const firstLine = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.stderr!.on('data', (chunk: Buffer) => {
      said += chunk;
      resolve(performance.now() - startedMs);
    });
    child.once('close', () => reject(new Error(`the daemon ended: ${said}`)));
  });
  firstLine.catch(() => {}); // the caller that awaits it gets the error
  return {
    pid: child.pid!,
    firstLine,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

export function callsOf({ calls }: Node): { atMs: number; words: string[] }[] {
  return readFileSync(calls, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' '))
    .map(([atS, ...words]) => ({ atMs: Number(atS) * 1000, words }));
}

interface Steps {
  anchor: { monotonicUs: number; wallUs: number };
  steps: { name: string; startUs: number; tookUs: number }[];
}

/** Once the one in question is there. */
export function stepsOf({ root }: Node): Steps | undefined {
  const path = join(root, 'run/headstart/steps.json');
  const steps = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Steps) : undefined;
  return steps?.steps.some(({ name }) => name === 'fetch') ? steps : undefined;
}

export function statusOf({ root }: Node): { lastKnownGood?: object } | undefined {
  const path = join(root, 'run/headstart/status.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as { lastKnownGood?: object }) : undefined;
}

/** Path → when it was last written, for all that is not a log of the bench itself. */
export function filesBelow(root: string): Map<string, number> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => join(entry.parentPath, entry.name)).map((path) => [path, statSync(path).mtimeMs]),
  );
}

/** Of the process alone: the programs that it starts are counted apart. */
export function cpuMsOf(pid: number): number {
  // In nanoseconds, per thread; the columns of /proc/PID/stat are in hundredths of a second.
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, ns) => sum + ns / 1e6, 0);
}

export function memoryOf(pid: number): { residentMb: number; privateMb: number } {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024;
  return { residentMb: of('VmRSS'), privateMb: of('RssAnon') };
}

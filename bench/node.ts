// bench/node.ts: how long does a node wait for its configuration, and what does the daemon cost afterwards? The real executable with a
// metadata service, on a folder that stands in for the node; systemd and the firewall are programs that only record their calls.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { median } from '../src/boot/model/noise.ts';
import { ensureExecutable } from '../src/node/build/build.ts';
import { startImds } from '../src/vms/qemu/metadata-service/start.ts';
import { anInstance } from '../src/vms/qemu/metadata-service/testing.ts';
import type { Bench, Figure } from './figure.ts';
import {
  beHealthy,
  callsOf,
  cpuMsOf,
  filesBelow,
  type Lab,
  makeNode,
  memoryOf,
  type Node,
  startDaemon,
  statusOf,
  stepsOf,
} from './node-stand-in.ts';

const ROUNDS = 9;
const IDLE_MS = Number(process.env.HEADSTART_BENCH_IDLE_S ?? 120) * 1000;
const DEADLINE_MS = 60_000;
const MIB = 1024 * 1024;

export async function measureNode({ folder, progress }: Bench): Promise<Figure[]> {
  progress('the executable of headstart node');
  const { path: executable } = await ensureExecutable();
  // A file that was just written is cached in large pages, which count as memory of the process that runs it. On a node it is read from a disk.
  spawnSync('dd', [`of=${executable}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0'], { stdio: 'ignore' });
  const imds = await startImds({ instance: { ...anInstance, userData: base64(DOCUMENT) } });
  try {
    const lab: Lab = { folder, executable, imds };
    progress(`first boots of a node, ${ROUNDS} times`);
    const boots: FirstBoot[] = [];
    for (let round = 0; round < ROUNDS; round++) boots.push(await firstBoot(lab, `boot-${round}`));
    progress(`what a node that is as it should be costs, ${IDLE_MS / 1000} s`);
    return [...bootFigures(boots), ...(await idleFigures(lab))];
  } finally {
    await imds.stop();
  }
}

interface FirstBoot {
  /** From the start of the process to its first line. */
  firstLineMs: number;
  /** From the last byte of the document to systemd being told that kubelet may start. */
  toKubeletMs: number;
  fileBytes: number;
}

async function firstBoot(lab: Lab, name: string): Promise<FirstBoot> {
  const node = makeNode(join(lab.folder, name));
  const running = startDaemon(lab, node);
  try {
    const firstLineMs = await running.firstLine;
    const readyMs = await until(
      'systemd to be told',
      () => callsOf(node).find(({ words }) => words.includes('--ready'))?.atMs,
    );
    const { anchor, steps } = await until('its steps', () => stepsOf(node));
    const fetched = steps.find((step) => step.name === 'fetch');
    if (!fetched) throw new Error('the daemon did not fetch its document');
    const receivedMs = (anchor.wallUs - anchor.monotonicUs + fetched.startUs + fetched.tookUs) / 1000;
    return { firstLineMs, toKubeletMs: readyMs - receivedMs, fileBytes: statSync(lab.executable).size };
  } finally {
    await running.stop();
  }
}

function bootFigures(boots: readonly FirstBoot[]): Figure[] {
  const [first, kubelet] = [boots.map(({ firstLineMs }) => firstLineMs), boots.map(({ toKubeletMs }) => toKubeletMs)];
  return [
    {
      name: `headstart node: start of the executable (${(boots[0]!.fileBytes / MIB).toFixed(0)} MB) to its first line, warm`,
      goal: 'under 150 ms',
      met: median(first) < 150,
      said: spread(first),
      measured: { boots },
    },
    {
      name: 'headstart node: document received to kubelet let start, first boot',
      goal: 'at most 300 ms',
      met: median(kubelet) <= 300,
      said: spread(kubelet),
      measured: { boots },
    },
  ];
}

/** One idle node: its memory, its work for a poll without news, and its work without polls. */
async function idleFigures(lab: Lab): Promise<Figure[]> {
  const node = makeNode(join(lab.folder, 'idle'));
  const healthy = await beHealthy(node);
  const running = startDaemon(lab, node);
  try {
    await until('the node to be good', () => (statusOf(node)?.lastKnownGood ? true : undefined));
    await systemClock.sleep(10_000); // work that the start left is finished by then
    // Before the first announcement: for a while after it, the daemon polls the metadata more often.
    const before = { cpuMs: cpuMsOf(running.pid), atMs: performance.now() };
    await systemClock.sleep(IDLE_MS);
    const percent = (100 * (cpuMsOf(running.pid) - before.cpuMs)) / (performance.now() - before.atMs);
    const memory = memoryOf(running.pid);
    const looks: Look[] = [];
    for (let round = 0; round < ROUNDS; round++) looks.push(await lookAgain(lab, node, running.pid));
    const cpu = looks.map(({ cpuMs }) => cpuMs);
    const writes = looks.flatMap((look) => look.writes);
    return [
      {
        name: 'headstart node: a look at the metadata that finds nothing new, CPU and files written',
        goal: 'under 50 ms of CPU, no write',
        met: median(cpu) < 50 && writes.length === 0,
        said: `${spread(cpu)}, ${writes.length} files written, ${looks.reduce((sum, look) => sum + look.calls, 0)} programs started in ${looks.length} looks`,
        measured: { looks },
      },
      {
        name: 'headstart node: memory of the idle daemon',
        goal: 'under 80 MB resident',
        met: memory.residentMb < 80,
        said: `${memory.residentMb.toFixed(0)} MB resident, ${memory.privateMb.toFixed(0)} MB of it its own`,
        measured: memory,
      },
      {
        name: `headstart node: CPU of the idle daemon, a look at the metadata every minute (${IDLE_MS / 1000} s)`,
        goal: 'under 0.1 %',
        met: percent < 0.1,
        said: `${percent.toFixed(3)} %`,
        measured: { percent, idleMs: IDLE_MS },
      },
    ];
  } finally {
    await running.stop();
    for (const server of healthy) server.close();
  }
}

interface Look {
  cpuMs: number;
  /** Programs that were started. */
  calls: number;
  /** Files that were written. */
  writes: string[];
}

/** SIGHUP, until the metadata was read and the daemon is quiet again. */
async function lookAgain({ imds }: Lab, node: Node, pid: number): Promise<Look> {
  const before = { cpuMs: cpuMsOf(pid), calls: callsOf(node).length, files: filesBelow(node.root) };
  const asked = imds.requests.length;
  process.kill(pid, 'SIGHUP');
  await until('a look at the metadata', () => (imds.requests.length >= asked + 2 ? true : undefined));
  await systemClock.sleep(300);
  const after = filesBelow(node.root);
  const writes = [...after]
    .filter(([path, written]) => before.files.get(path) !== written)
    .map(([path]) => relative(node.root, path));
  return { cpuMs: cpuMsOf(pid) - before.cpuMs, calls: callsOf(node).length - before.calls, writes };
}

const DOCUMENT = JSON.stringify({
  apiVersion: 'headstart.dev/v1',
  kind: 'NodeConfig',
  metadata: { generation: 1 },
  spec: {
    kubernetes: { version: '1.34.2' },
    kubelet: { maxPods: '= min(250, cpu * 30)', systemReserved: { cpu: '100m', memory: '256Mi' } },
    labels: { 'example.com/pool': 'bench' },
    containerd: { registries: { 'docker.io': { mirrors: [{ url: 'https://mirror.example.com' }] } } },
    os: { sysctls: { 'vm.max_map_count': 262_144 }, limits: { nofile: { soft: 65_536, hard: 65_536 } } },
    files: { '/etc/motd': { content: 'hello\n' } },
    update: { health: { requireNodeReady: false, commitAfter: '0s' } },
  },
});

async function until<T>(what: string, look: () => T | undefined): Promise<T> {
  const untilMs = performance.now() + DEADLINE_MS;
  for (;;) {
    const seen = look();
    if (seen !== undefined) return seen;
    if (performance.now() > untilMs) throw new Error(`waited for ${what} for ${DEADLINE_MS / 1000} s`);
    await systemClock.sleep(5);
  }
}

function spread(values: readonly number[]): string {
  return `${median(values).toFixed(0)} ms (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)})`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

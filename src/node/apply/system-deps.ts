// node/apply/system-deps.ts: how does a transaction observe, write to and probe a real node? All dependencies except
// those that need the Node's credential.
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { RunCommand } from '../../base/command.ts';
import { readCloneNote } from '../observe/clone.ts';
import { createHostReader } from '../observe/host-reader.ts';
import type { ApplyDeps, NodeHealth, NodeHooks, Probes, UnitHealth } from './contract.ts';
import { systemDisk } from './disk.ts';
import { commandFailed } from './failures.ts';

export interface SystemDepsOptions {
  root: string;
  run: RunCommand;
  clock: Clock;
  node: NodeHooks & { health(): Promise<NodeHealth> };
}

export function systemDeps({ root, run, clock, node }: SystemDepsOptions): ApplyDeps {
  return {
    root,
    run,
    clock,
    node,
    host: createHostReader(root, run),
    disk: systemDisk(root),
    probes: systemProbes({ root, run, node: () => node.health() }),
    vmId: readCloneNote(root)?.vmId,
    bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    // Returns immediately; systemd then stops this process.
    async reboot() {
      const ran = await run(['systemctl', '--no-block', 'reboot']);
      if (ran.code !== 0) throw commandFailed('apply/command-failed', 'systemctl reboot', ran);
    },
  };
}

const CONTAINERD_SOCKET = 'run/containerd/containerd.sock';
const HEALTHZ_PORT = 10248;
const PROBE_TIMEOUT_MS = 2_000;

export interface ProbesOptions {
  root: string;
  run: RunCommand;
  node: () => Promise<NodeHealth>;
}

export function systemProbes({ root, run, node }: ProbesOptions): Probes {
  return {
    units: (names) => unitsHealth(names, run),
    runtimeAnswers: () => acceptsConnection(join(root, CONTAINERD_SOCKET)),
    kubeletHealthz: (port = HEALTHZ_PORT) => isHealthzOk(port),
    // Reading /configz requires access to kubelet's API, which the node's credential does not have.
    kubeletConfig: async () => undefined,
    async node() {
      try {
        return await node();
      } catch {
        return { isReachable: false };
      }
    },
  };
}

const PROPERTIES = 'LoadState,ActiveState,Type,Result,NRestarts,ExecMainStartTimestampMonotonic';

async function unitsHealth(names: readonly string[], run: RunCommand): Promise<Map<string, UnitHealth>> {
  if (names.length === 0) return new Map();
  const ran = await run(['systemctl', 'show', `--property=${PROPERTIES}`, '--', ...names]);
  // systemctl prints one block for each unit, in the order of the arguments.
  const blocks = ran.stdout.toString('utf8').trim().split(/\n\n+/);
  return new Map(names.map((name, i) => [name, unitHealth(blocks[i] ?? '')]));
}

function unitHealth(block: string): UnitHealth {
  const of = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(block)?.[1] ?? '';
  const hasStarted = !['', '0'].includes(of('ExecMainStartTimestampMonotonic'));
  const restarts = Number(of('NRestarts')) || 0;
  const isDone = of('Type') === 'oneshot' && of('Result') === 'success' && hasStarted;
  switch (of('ActiveState')) {
    case 'active':
    case 'reloading':
      return { state: 'active', restarts };
    case 'activating':
      return { state: 'starting', restarts };
    case 'failed':
      return { state: 'failed', restarts };
    default:
      return { state: of('LoadState') === 'loaded' ? (isDone ? 'done' : 'inactive') : 'absent', restarts };
  }
}

function acceptsConnection(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(PROBE_TIMEOUT_MS, () => end(false));
    socket.on('connect', () => end(true));
    socket.on('error', () => end(false));
  });
}

function isHealthzOk(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    // No proxy and no keep-alive: after a restart of kubelet a reused connection would be dead.
    const address = { host: '127.0.0.1', port, path: '/healthz', agent: false, timeout: PROBE_TIMEOUT_MS };
    const request = get(address, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}

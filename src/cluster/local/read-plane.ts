// cluster/local/read-plane.ts: what is the state of a local cluster: what runs, is it healthy, are its ports free? Read-only.
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { TransientError } from '../../base/errors.ts';
import { certificatesToMake } from './authority.ts';
import {
  type ClusterPlace,
  type ClusterRecord,
  clusterFiles,
  clustersFolder,
  EGRESS_SOCKET,
  GUEST_ADDRESS,
  GUEST_PORT,
  portsOfOthers,
  readClusterRecord,
} from './cluster-files.ts';
import type { Health } from './health.ts';
import type { PlaneState, PortName } from './plan-up.ts';
import type { PlaneDeps } from './plane-deps.ts';
import { EGRESS, SERVERS, type Server } from './server-flags.ts';
import type { Orphan } from './server-processes.ts';
import { apiServerUrl, differingSettings, probeOf, serverCommand } from './server-set-up.ts';
import type { UpOptions } from './up-run.ts';

export interface ServerView extends Health {
  name: Server;
  isRunning: boolean;
  pid?: number;
  sinceMs?: number;
  /** An address on this machine, or a socket in the cluster's folder. */
  address: string;
  log: string;
}

export interface PlaneView {
  name: string;
  kubernetes: string;
  server: string;
  /** Its address for guests of pools that have it as a service. */
  guest: { address: string; port: number };
  kubeconfig: string;
  folder: string;
  isHealthy: boolean;
  programs: ServerView[];
}

/** Servers of any cluster of this home whose folder was removed while they ran. */
export function findOrphans(
  { home }: Pick<ClusterPlace, 'home'>,
  { processes }: Pick<PlaneDeps, 'processes'>,
): Orphan[] {
  return processes.findOrphans(clustersFolder(home), SERVERS);
}

/** undefined: there is no such cluster. */
export async function readPlane(
  place: ClusterPlace,
  deps: Pick<PlaneDeps, 'processes' | 'checkServerHealth'>,
): Promise<PlaneView | undefined> {
  const record = readClusterRecord(place);
  if (!record) return undefined;
  const { folder, kubeconfig } = clusterFiles(place);
  const programs = await Promise.all(SERVERS.map((server) => readServer(server, place, record, deps)));
  return {
    name: place.name,
    kubernetes: record.kubernetes,
    server: apiServerUrl(record),
    guest: { address: record.guestAddress, port: GUEST_PORT },
    kubeconfig,
    folder,
    isHealthy: programs.every(({ isHealthy }) => isHealthy),
    programs,
  };
}

async function readServer(
  name: Server,
  place: ClusterPlace,
  record: ClusterRecord,
  { processes, checkServerHealth }: Pick<PlaneDeps, 'processes' | 'checkServerHealth'>,
): Promise<ServerView> {
  const files = clusterFiles(place);
  const address = name === EGRESS ? EGRESS_SOCKET : `127.0.0.1:${record.ports[name]}`;
  const seen = { name, address, log: files.log(name) };
  const running = processes.find(files.folder, name);
  if (!running) return { ...seen, isRunning: false, isHealthy: false, why: 'does not run' };
  const { pid, sinceMs } = running;
  return { ...seen, isRunning: true, pid, sinceMs, ...(await checkServerHealth(probeOf(name, files, record))) };
}

/** The input of `planUp`. */
export async function readPlaneState(place: ClusterPlace, options: UpOptions, deps: PlaneDeps): Promise<PlaneState> {
  const { clock, isPortFree } = deps;
  const record = readClusterRecord(place);
  const { pki } = clusterFiles(place);
  const wanted = { kubernetes: options.kubernetes, programs: options.programs };
  const seen = readProcesses(place, record, deps);
  const running = new Set(seen.keys());
  const guestAddress = record?.guestAddress ?? GUEST_ADDRESS;
  const idle = PORTS_OF.filter(([server]) => !running.has(server)).flatMap(([, ports]) => ports);
  const takenPorts = new Set<PortName>();
  for (const name of record ? idle : []) {
    if (record && !(await becomesFree(record.ports[name], { clock, isPortFree }))) takenPorts.add(name);
  }
  return {
    name: place.name,
    record,
    wanted,
    running,
    withOtherArguments: new Set([...seen].filter(([, isCurrent]) => !isCurrent).map(([server]) => server)),
    settings: record
      ? differingSettings(place, record).map(({ path, reader }) => ({
          file: basename(path),
          ...(reader && { reader }),
        }))
      : [],
    takenPorts,
    certificates: certificatesToMake(pki, { guestAddress, nowMs: clock.nowMs() }),
    bindings: record && running.has('kube-apiserver') ? await readBindings(place, record, deps) : undefined,
    ...(options.apiPort !== undefined && { wantedPort: await readPort(place, options.apiPort, deps) }),
  };
}

/** The running servers; true: with the arguments that they would get now. */
function readProcesses(
  place: ClusterPlace,
  record: ClusterRecord | undefined,
  deps: Pick<PlaneDeps, 'processes' | 'egressCommand'>,
): Map<Server, boolean> {
  const files = clusterFiles(place);
  return new Map(
    SERVERS.flatMap((server) => {
      const running = deps.processes.find(files.folder, server);
      if (!running) return [];
      if (!record) return [[server, false] as const];
      const { argv } = serverCommand(server, place, record, deps);
      // Ignore argv[0]: a program may be a wrapper script that runs another one.
      return [[server, isDeepStrictEqual(running.argv.slice(1), argv.slice(1))] as const];
    }),
  );
}

async function readPort(
  place: ClusterPlace,
  port: number,
  { isPortFree }: PlaneDeps,
): Promise<NonNullable<PlaneState['wantedPort']>> {
  const owner = portsOfOthers(place).get(port);
  return { port, isFree: await isPortFree(port), ...(owner !== undefined && { owner }) };
}

/** undefined: the API server is not ready. */
async function readBindings(
  place: ClusterPlace,
  record: ClusterRecord,
  { checkServerHealth, bindingsToMake, clock }: PlaneDeps,
) {
  const files = clusterFiles(place);
  const { isHealthy } = await checkServerHealth(probeOf('kube-apiserver', files, record));
  if (!isHealthy) return undefined;
  return bindingsToMake({ kubeconfig: files.kubeconfig, clock }).catch((error: unknown) => {
    if (error instanceof TransientError) return undefined; // it has just stopped
    throw error;
  });
}

const PORTS_OF: readonly (readonly [Server, readonly PortName[]])[] = [
  ['etcd', ['etcd', 'etcd-peer']],
  ['kube-apiserver', ['kube-apiserver']],
  ['kube-controller-manager', ['kube-controller-manager']],
  ['kube-scheduler', ['kube-scheduler']],
];

const PORT_RELEASE_MS = 3_000;
const POLL_MS = 100;

/** The kernel needs a moment to release the sockets of a killed process. */
async function becomesFree(
  port: number,
  { clock, isPortFree }: Pick<PlaneDeps, 'clock' | 'isPortFree'>,
): Promise<boolean> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    if (await isPortFree(port)) return true;
    if (waitedMs >= PORT_RELEASE_MS) return false;
    await clock.sleep(POLL_MS);
  }
}

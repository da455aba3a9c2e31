// cluster/local/look-at-plane.ts: how is a local cluster: what runs, is it healthy, who listens on its ports? Changes nothing.
import { certificatesToMake } from './authority.ts';
import {
  type ClusterPlace,
  type ClusterRecord,
  filesOf,
  GUEST_ADDRESS,
  GUEST_PORT,
  readRecord,
} from './cluster-files.ts';
import type { Health } from './health.ts';
import type { PortName, Seen } from './plan-up.ts';
import type { PlaneEdges } from './plane-edges.ts';
import { SERVERS, type Server } from './server-flags.ts';
import { apiServerUrl, probeOf } from './server-set-up.ts';

export interface ServerView extends Health {
  name: Server;
  isRunning: boolean;
  pid?: number;
  sinceMs?: number;
  address: string;
  log: string;
}

export interface PlaneView {
  name: string;
  kubernetes: string;
  server: string;
  /** How guests see it, of pools that have it as a service. */
  guest: { address: string; port: number };
  kubeconfig: string;
  folder: string;
  isHealthy: boolean;
  programs: ServerView[];
}

/** Undefined when there is no such cluster. */
export async function lookAtPlane(
  place: ClusterPlace,
  edges: Pick<PlaneEdges, 'processes' | 'askHealth'>,
): Promise<PlaneView | undefined> {
  const record = readRecord(place);
  if (!record) return undefined;
  const { folder, kubeconfig } = filesOf(place);
  const programs = await Promise.all(SERVERS.map((server) => lookAtServer(server, place, record, edges)));
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

async function lookAtServer(
  name: Server,
  place: ClusterPlace,
  record: ClusterRecord,
  { processes, askHealth }: Pick<PlaneEdges, 'processes' | 'askHealth'>,
): Promise<ServerView> {
  const files = filesOf(place);
  const seen = { name, address: `127.0.0.1:${record.ports[name]}`, log: files.log(name) };
  const running = processes.find(files.folder, name);
  if (!running) return { ...seen, isRunning: false, isHealthy: false, why: 'does not run' };
  return { ...seen, isRunning: true, ...running, ...(await askHealth(probeOf(name, files, record))) };
}

/** What `up` decides by. */
export async function lookForUp(
  place: ClusterPlace,
  { processes, clock, isPortFree }: Pick<PlaneEdges, 'processes' | 'clock' | 'isPortFree'>,
  apiPort?: number,
): Promise<Seen> {
  const record = readRecord(place);
  const { folder, pki } = filesOf(place);
  const running = new Set(SERVERS.filter((server) => processes.find(folder, server)));
  const guestAddress = record?.guestAddress ?? GUEST_ADDRESS;
  const idle = PORTS_OF.filter(([server]) => !running.has(server)).flatMap(([, ports]) => ports);
  const takenPorts = new Set<PortName>();
  for (const name of record ? idle : []) {
    if (record && !(await becomesFree(record.ports[name], { clock, isPortFree }))) takenPorts.add(name);
  }
  const certificates = certificatesToMake(pki, { guestAddress, nowMs: clock.nowMs() });
  const wantedPort = apiPort === undefined ? undefined : { port: apiPort, isFree: await isPortFree(apiPort) };
  return { name: place.name, record, running, takenPorts, certificates, ...(wantedPort && { wantedPort }) };
}

const PORTS_OF: readonly (readonly [Server, readonly PortName[]])[] = [
  ['etcd', ['etcd', 'etcd-peer']],
  ['kube-apiserver', ['kube-apiserver']],
  ['kube-controller-manager', ['kube-controller-manager']],
  ['kube-scheduler', ['kube-scheduler']],
];

const LETTING_GO_MS = 3_000;
const LOOK_EVERY_MS = 100;

/** The kernel takes a moment to take apart what was killed, and its sockets with it. */
async function becomesFree(
  port: number,
  { clock, isPortFree }: Pick<PlaneEdges, 'clock' | 'isPortFree'>,
): Promise<boolean> {
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    if (await isPortFree(port)) return true;
    if (waitedMs >= LETTING_GO_MS) return false;
    await clock.sleep(LOOK_EVERY_MS);
  }
}

// cluster/local/server-set-up.ts: what does each server of a standing plane get from the cluster's folder: arguments, settings, and how it is asked?
import { join } from 'node:path';
import type { Argv } from '../../base/command.ts';
import { SERVICE_RANGE } from './authority.ts';
import {
  type ClusterFiles,
  type ClusterPlace,
  type ClusterRecord,
  clusterFiles,
  EGRESS_SOCKET,
  readIfExists,
  writePrivate,
} from './cluster-files.ts';
import type { Probe } from './health.ts';
import { renderKubeconfig } from './kubeconfig.ts';
import type { PlaneDeps } from './plane-deps.ts';
import {
  ALL_CONTROLLERS,
  apiServerFlags,
  controllerFlags,
  EGRESS,
  etcdFlags,
  etcdUrl,
  type KeyPair,
  type KubeServer,
  type Server,
  schedulerFlags,
} from './server-flags.ts';

export const apiServerUrl = ({ ports }: Pick<ClusterRecord, 'ports'>) => `https://127.0.0.1:${ports['kube-apiserver']}`;

export interface ServerCommand {
  argv: Argv;
  /** What it is called, where that is not the name of its program. */
  argv0?: string;
}

export function serverCommand(
  server: Server,
  place: ClusterPlace,
  record: ClusterRecord,
  { egressCommand }: Pick<PlaneDeps, 'egressCommand'>,
): ServerCommand {
  if (server === EGRESS) return { argv: egressCommand(place), argv0: server };
  return { argv: [join(record.programs, server), ...flagsOf(server, clusterFiles(place), record)] };
}

function flagsOf(server: KubeServer, files: ClusterFiles, { ports }: ClusterRecord): string[] {
  const pair = (name: string): KeyPair => ({
    cert: join(files.pki, `${name}.crt`),
    key: join(files.pki, `${name}.key`),
  });
  const tlsOf = (name: string) => ({ ...pair(name), ca: join(files.pki, 'etcd-ca.crt') });
  const accountKey = join(files.pki, 'service-account.key');
  const etcd = { clientPort: ports.etcd, peerPort: ports['etcd-peer'], tls: tlsOf('etcd') };
  switch (server) {
    case 'etcd':
      return etcdFlags({ ...etcd, dataFolder: files.etcdData });
    case 'kube-apiserver':
      return apiServerFlags({
        port: ports['kube-apiserver'],
        etcd: { url: etcdUrl(etcd), tls: tlsOf('etcd-client') },
        accountKey,
        serviceRange: SERVICE_RANGE,
        serving: pair('apiserver'),
        clientAuthority: pair('ca').cert,
        kubeletClient: pair('kubelet-client'),
        egress: files.egress,
        letsNodesJoin: true,
      });
    case 'kube-controller-manager':
      return controllerFlags({
        kubeconfig: files.componentKubeconfig(server),
        accountKey,
        controllers: ALL_CONTROLLERS,
        authority: pair('ca'),
        serving: { ...pair('serving'), port: ports[server] },
      });
    case 'kube-scheduler':
      return schedulerFlags(files.componentKubeconfig(server), { ...pair('serving'), port: ports[server] });
  }
}

const HEALTH_PATH: Record<KubeServer, string> = {
  etcd: '/health',
  'kube-apiserver': '/readyz',
  'kube-controller-manager': '/healthz',
  'kube-scheduler': '/healthz',
};

/** As whom: etcd and the API server answer nobody they do not know. */
export function probeOf(server: Server, { folder, pki }: ClusterFiles, { ports }: ClusterRecord): Probe {
  if (server === EGRESS) return { folder, socket: EGRESS_SOCKET };
  const read = (file: string) => readIfExists(join(pki, file)) ?? '';
  const as = (name: string) => ({ cert: read(`${name}.crt`), key: read(`${name}.key`) });
  return {
    url: `https://127.0.0.1:${ports[server]}${HEALTH_PATH[server]}`,
    ca: read(server === 'etcd' ? 'etcd-ca.crt' : 'ca.crt'),
    ...(server === 'etcd' && { client: as('etcd-client') }),
    ...(server === 'kube-apiserver' && { client: as('admin') }),
  };
}

interface Setting {
  path: string;
  text: string;
  /** Reads it when it starts, and not again. */
  reader?: KubeServer;
}

/** Those that are as they should be are left alone. */
export function writeSettings(place: ClusterPlace, record: ClusterRecord): void {
  for (const { path, text } of differingSettings(place, record)) writePrivate(path, text);
}

/** What `writeSettings` would write. */
export function differingSettings(place: ClusterPlace, record: ClusterRecord): Setting[] {
  return settingsOf(place, record).filter(({ path, text }) => readIfExists(path) !== text);
}

function settingsOf(place: ClusterPlace, record: ClusterRecord): Setting[] {
  const files = clusterFiles(place);
  const inPki = (file: string) => join(files.pki, file);
  const read = (file: string) => readIfExists(inPki(file)) ?? '';
  const server = { url: apiServerUrl(record), ca: read('ca.crt'), name: `headstart-${place.name}` };
  const admin = { cert: read('admin.crt'), key: read('admin.key') };
  return [
    { path: files.egress, text: `${JSON.stringify(EGRESS_SELECTION, null, 2)}\n`, reader: 'kube-apiserver' },
    // Whole, so that it can be taken elsewhere.
    { path: files.kubeconfig, text: `${renderKubeconfig({ ...server, ...admin })}\n` },
    ...COMPONENTS.map(([component, name]) => {
      const client = { certFile: inPki(`${name}.crt`), keyFile: inPki(`${name}.key`) };
      const text = `${renderKubeconfig({ ...server, ...client })}\n`;
      return { path: files.componentKubeconfig(component), text, reader: component };
    }),
  ];
}

/**
 * A node says itself where it is reached, and pools' addresses are elsewhere on the outside: asked for logs, the API server would
 * call some stranger. It asks our proxy instead; both run in the cluster's folder.
 */
const EGRESS_SELECTION = {
  apiVersion: 'apiserver.k8s.io/v1beta1',
  kind: 'EgressSelectorConfiguration',
  egressSelections: [
    {
      name: 'cluster',
      connection: { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName: EGRESS_SOCKET } } },
    },
  ],
};

const COMPONENTS = [
  ['kube-controller-manager', 'controller-manager'],
  ['kube-scheduler', 'scheduler'],
] as const;

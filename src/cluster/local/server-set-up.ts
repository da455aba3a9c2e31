// cluster/local/server-set-up.ts: the command, settings files and health probe of each server of a local cluster.
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
  /** argv[0], if it is not the name of the program. */
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

/** With a client certificate for etcd and the API server, which refuse anonymous requests. */
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
  /** The server that reads it once, at start. */
  reader?: KubeServer;
}

/** Writes only files whose content differs. */
export function writeSettings(place: ClusterPlace, record: ClusterRecord): void {
  for (const { path, text } of differingSettings(place, record)) writePrivate(path, text);
}

/** The files that `writeSettings` would write. */
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
    // With embedded credentials, so that the user can copy it elsewhere.
    { path: files.kubeconfig, text: `${renderKubeconfig({ ...server, ...admin })}\n` },
    ...COMPONENTS.map(([component, name]) => {
      const client = { certFile: inPki(`${name}.crt`), keyFile: inPki(`${name}.key`) };
      const text = `${renderKubeconfig({ ...server, ...client })}\n`;
      return { path: files.componentKubeconfig(component), text, reader: component };
    }),
  ];
}

/**
 * A node reports its own address, and the addresses of a pool belong to other machines outside of it: for logs the API server would
 * connect to a stranger. It uses our proxy instead; both run in the cluster's folder.
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

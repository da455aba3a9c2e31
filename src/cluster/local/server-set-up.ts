// cluster/local/server-set-up.ts: what does each server of a standing plane get from the cluster's folder: arguments, settings, and how it is asked?
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Argv } from '../../base/command.ts';
import { SERVICE_RANGE } from './authority.ts';
import {
  type ClusterFiles,
  type ClusterPlace,
  type ClusterRecord,
  filesOf,
  readIfThere,
  writePrivate,
} from './cluster-files.ts';
import type { Probe } from './health.ts';
import { renderKubeconfig } from './kubeconfig.ts';
import {
  ALL_CONTROLLERS,
  apiServerFlags,
  controllerFlags,
  etcdFlags,
  etcdUrl,
  type KeyPair,
  type Server,
  schedulerFlags,
} from './server-flags.ts';

export const apiServerUrl = ({ ports }: Pick<ClusterRecord, 'ports'>) => `https://127.0.0.1:${ports['kube-apiserver']}`;

export function argvOf(server: Server, files: ClusterFiles, record: ClusterRecord): Argv {
  return [join(record.programs, server), ...flagsOf(server, files, record)];
}

function flagsOf(server: Server, files: ClusterFiles, { ports }: ClusterRecord): string[] {
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

const HEALTH_PATH: Record<Server, string> = {
  etcd: '/health',
  'kube-apiserver': '/readyz',
  'kube-controller-manager': '/healthz',
  'kube-scheduler': '/healthz',
};

/** As whom: etcd and the API server answer nobody they do not know. */
export function probeOf(server: Server, { pki }: ClusterFiles, { ports }: ClusterRecord): Probe {
  const read = (file: string) => readIfThere(join(pki, file)) ?? '';
  const as = (name: string) => ({ cert: read(`${name}.crt`), key: read(`${name}.key`) });
  return {
    url: `https://127.0.0.1:${ports[server]}${HEALTH_PATH[server]}`,
    ca: read(server === 'etcd' ? 'etcd-ca.crt' : 'ca.crt'),
    ...(server === 'etcd' && { client: as('etcd-client') }),
    ...(server === 'kube-apiserver' && { client: as('admin') }),
  };
}

/** Those that are as they should be are left alone. */
export function writeSettings(place: ClusterPlace, record: ClusterRecord): void {
  const files = filesOf(place);
  const inPki = (file: string) => join(files.pki, file);
  const read = (file: string) => readIfThere(inPki(file)) ?? '';
  const server = { url: apiServerUrl(record), ca: read('ca.crt'), name: `headstart-${place.name}` };
  const write = (path: string, text: string) => {
    if (!existsSync(path) || readIfThere(path) !== text) writePrivate(path, text);
  };
  write(files.egress, `${JSON.stringify(noEgress(files.folder), null, 2)}\n`);
  // Whole, so that it can be taken elsewhere.
  write(files.kubeconfig, `${renderKubeconfig({ ...server, cert: read('admin.crt'), key: read('admin.key') })}\n`);
  for (const [component, name] of COMPONENTS) {
    const client = { certFile: inPki(`${name}.crt`), keyFile: inPki(`${name}.key`) };
    write(files.componentKubeconfig(component), `${renderKubeconfig({ ...server, ...client })}\n`);
  }
}

/**
 * A node says itself where it is reached, and pools' addresses are elsewhere on the outside: asked for logs, the API server would
 * call some stranger. It goes through a socket where nobody listens instead.
 */
function noEgress(folder: string) {
  const transport = { uds: { udsName: join(folder, 'egress.sock') } };
  return {
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections: [{ name: 'cluster', connection: { proxyProtocol: 'HTTPConnect', transport } }],
  };
}

const COMPONENTS = [
  ['kube-controller-manager', 'controller-manager'],
  ['kube-scheduler', 'scheduler'],
] as const;

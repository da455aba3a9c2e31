// cluster/local/port-names.ts: which ports does a local control plane listen on?
import { KUBE_SERVERS, type KubeServer } from './server-flags.ts';

export type Ports = Record<KubeServer | 'etcd-peer', number>;

export const PORT_NAMES = ['etcd', 'etcd-peer', ...KUBE_SERVERS.filter((server) => server !== 'etcd')] as const;

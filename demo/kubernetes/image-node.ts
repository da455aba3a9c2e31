// demo/kubernetes/image-node.ts: what is a node told that boots from an image of ours? Its cluster, how to join it, and a network for pods: one
// document in its user data, the same for all nodes of a pool, and nothing secret in it.
import { API_SERVER, CNI_CONFIG, CNI_PATH, CREDENTIAL, DNS_ADDRESS } from './settings.ts';

export interface ImageNode {
  cluster: string;
  /** Of the cluster (PEM). */
  ca: string;
  /** `1.35.8`, as the image has it. */
  kubernetes: string;
  generation: number;
  kubelet?: object;
  sysctls?: Readonly<Record<string, string | number>>;
}

/** A kubelet setting that is seen on the Node, and one of the kernel: neither takes a drain or a reboot. */
export const CHANGE = { kubelet: { maxPods: 120 }, sysctls: { 'vm.max_map_count': 300_000 } } as const;
/** Well formed, and kubelet does not start with it. */
export const BAD_CHANGE = { ...CHANGE, kubelet: { ...CHANGE.kubelet, config: { tlsMinVersion: 'VersionTLS99' } } };

export function nodeDocument({ cluster, ca, kubernetes, generation, kubelet = {}, sysctls = {} }: ImageNode): string {
  const document = {
    apiVersion: 'headstart.dev/v1',
    kind: 'NodeConfig',
    metadata: { generation },
    spec: {
      kubernetes: { version: kubernetes },
      cluster: {
        name: cluster,
        endpoint: API_SERVER,
        certificateAuthority: ca,
        dns: { addresses: [DNS_ADDRESS] },
      },
      join: { credential: { name: CREDENTIAL } },
      kubelet,
      os: { sysctls },
      files: { [CNI_PATH]: { content: CNI_CONFIG } },
      update: {
        pollEvery: '5s',
        // Without hardware help kubelet alone takes many seconds to start.
        health: { readyWithin: '10min', maxRestarts: 3, restartsWithin: '5min', commitAfter: '10s' },
      },
    },
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

// local/node-document.ts: the node config with which a node built from our image joins a local cluster. Pure. It contains no secret and is
// the same for all nodes of a pool: each node gets its credential at start.
import { CREDENTIAL_NAME } from '../vms/qemu/pools/admission.ts';

export interface NodeDocument {
  cluster: string;
  /** The API server's URL in the guest network. */
  endpoint: string;
  /** The cluster's CA certificate (PEM). */
  ca: string;
  /** The image's Kubernetes version, `1.35.8`. */
  kubernetes: string;
  generation: number;
  /** false when a CNI plugin of the cluster brings its own configuration. */
  hasBridge: boolean;
}

/** kubelet looks this often, and reports only changes; a guest without KVM spends 0.2 % of a processor on it. */
const STATUS_EVERY = '300ms';

/** Nothing listens there, but kubelet requires an address to write into pods. */
export const DNS_ADDRESS = '10.96.0.10';

export function nodeDocument({ cluster, endpoint, ca, kubernetes, generation, hasBridge }: NodeDocument) {
  return {
    apiVersion: 'headstart.dev/v1',
    kind: 'NodeConfig',
    metadata: { generation },
    spec: {
      kubernetes: { version: kubernetes },
      cluster: { name: cluster, endpoint, certificateAuthority: ca, dns: { addresses: [DNS_ADDRESS] } },
      join: { credential: { name: CREDENTIAL_NAME } },
      // A standby node that continues is Ready with kubelet's next look at its own status; by default that is every ten seconds.
      kubelet: { config: { nodeStatusUpdateFrequency: STATUS_EVERY } },
      ...(hasBridge && { files: { [BRIDGE_PATH]: { content: BRIDGE } } }),
      update: {
        // Without KVM, kubelet alone takes many seconds to start.
        health: { readyWithin: '10min', maxRestarts: 3, restartsWithin: '5min' },
      },
    },
  };
}

export const BRIDGE_PATH = '/etc/cni/net.d/10-bridge.conflist';

/** A bridge per node, all with the same range: pods on different nodes cannot reach each other. */
export const BRIDGE = `${JSON.stringify(
  {
    cniVersion: '1.0.0',
    name: 'bridge',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        ipMasq: true,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          ranges: [[{ subnet: '10.244.0.0/24' }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  },
  null,
  1,
)}\n`;

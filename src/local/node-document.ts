// local/node-document.ts: what is a node told that boots from an image of ours, to become one of a local cluster? Pure. Nothing in it
// is secret, and it is the same for all nodes of a pool: each gets its credential when it starts.
import { CREDENTIAL_NAME } from '../vms/qemu/pools/admission.ts';

export interface NodeDocument {
  cluster: string;
  /** As guests see the API server. */
  endpoint: string;
  /** Of the cluster (PEM). */
  ca: string;
  /** `1.35.8`, as the image has it. */
  kubernetes: string;
  generation: number;
  /** false: whoever brings a network for pods brings its own configuration. */
  hasBridge: boolean;
}

/** Nobody answers there: kubelet wants an address to write into pods. */
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
      ...(hasBridge && { files: { [BRIDGE_PATH]: { content: BRIDGE } } }),
      update: {
        // Without hardware help kubelet alone takes many seconds to start.
        health: { readyWithin: '10min', maxRestarts: 3, restartsWithin: '5min' },
      },
    },
  };
}

export const BRIDGE_PATH = '/etc/cni/net.d/10-bridge.conflist';

/** A bridge of its own on each node. All have the same range: between nodes there is no network for pods. */
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

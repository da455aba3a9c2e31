// demo/kubernetes/settings.ts: what is the same on a node of a local cluster, however it is made? Where the cluster is, how pods get a network.

/** Where guests of a pool of the cluster find its API server. */
export const API_SERVER = 'https://168.0.0.10:6443';
/** What the pool gives each start of an instance: the kubeconfig with which its kubelet asks for a certificate. */
export const CREDENTIAL = 'bootstrap-kubeconfig';
export const READY_UNIT = 'kubelet.service';
/** Nobody answers there: kubelet wants an address to write into pods. */
export const DNS_ADDRESS = '10.96.0.10';

export const CNI_PATH = '/etc/cni/net.d/10-bridge.conflist';

/** A bridge of its own on each node. All have the same range: between nodes there is no network for pods. */
export const CNI_CONFIG = `${JSON.stringify(
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

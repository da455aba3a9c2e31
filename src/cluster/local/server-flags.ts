// cluster/local/server-flags.ts: how is each program of a control plane told what to be? One list for the plane of the tests, which dies
// with them, and for the one that stands. All of it on loopback; no secret is in an argument. Pure.

/** Of Kubernetes, from the folder of its programs. */
export const KUBE_SERVERS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
export type KubeServer = (typeof KUBE_SERVERS)[number];

/** Ours: by which way the API server reaches nodes. */
export const EGRESS = 'headstart-egress';

/** All that stand, in the order in which they are started. */
export const SERVERS = ['etcd', EGRESS, 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
export type Server = (typeof SERVERS)[number];

export interface KeyPair {
  cert: string;
  key: string;
}

export interface EtcdSettings {
  dataFolder: string;
  clientPort: number;
  peerPort: number;
  /** Without them whoever is on this machine may read and write everything. */
  tls?: KeyPair & { ca: string };
  /** Nothing in there has to survive a power cut. */
  isThrowaway?: boolean;
}

export const etcdUrl = ({ clientPort, tls }: Pick<EtcdSettings, 'clientPort' | 'tls'>) =>
  `${tls ? 'https' : 'http'}://127.0.0.1:${clientPort}`;

export function etcdFlags(settings: EtcdSettings): string[] {
  const { tls } = settings;
  const client = etcdUrl(settings);
  const peer = `${tls ? 'https' : 'http'}://127.0.0.1:${settings.peerPort}`;
  return [
    `--data-dir=${settings.dataFolder}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    ...(tls ? ['', 'peer-'].flatMap((kind) => etcdTlsFlags(kind, tls)) : []),
    ...(settings.isThrowaway ? ['--unsafe-no-fsync'] : []),
  ];
}

function etcdTlsFlags(kind: string, { cert, key, ca }: KeyPair & { ca: string }): string[] {
  return [
    `--${kind}cert-file=${cert}`,
    `--${kind}key-file=${key}`,
    `--${kind}trusted-ca-file=${ca}`,
    `--${kind}client-cert-auth=true`,
  ];
}

export interface ApiServerSettings {
  port: number;
  etcd: { url: string; tls?: KeyPair & { ca: string } };
  /** Signs the tokens of service accounts. */
  accountKey: string;
  serviceRange: string;
  /** Or a folder in which it makes itself one. */
  serving: KeyPair | { folder: string };
  /** Whoever comes with a certificate of this authority is who it says; nodes may do what a kubelet may, and no more. */
  clientAuthority?: string | undefined;
  /** A file of tokens and who has them. */
  tokens?: string;
  /** How it asks kubelets for logs. */
  kubeletClient?: KeyPair;
  /** A file: by which way it reaches nodes. */
  egress?: string;
  /** Nodes without a certificate may come with a token and ask for one. */
  letsNodesJoin?: boolean;
}

export function apiServerFlags(settings: ApiServerSettings): string[] {
  const { etcd, serving, clientAuthority, kubeletClient } = settings;
  return [
    `--etcd-servers=${etcd.url}`,
    ...(etcd.tls
      ? [`--etcd-cafile=${etcd.tls.ca}`, `--etcd-certfile=${etcd.tls.cert}`, `--etcd-keyfile=${etcd.tls.key}`]
      : []),
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${settings.port}`,
    ...('folder' in serving ? [`--cert-dir=${serving.folder}`] : servingFlags(serving)),
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${settings.accountKey}`,
    `--service-account-signing-key-file=${settings.accountKey}`,
    `--service-cluster-ip-range=${settings.serviceRange}`,
    ...(clientAuthority === undefined
      ? ['--authorization-mode=RBAC']
      : [
          '--authorization-mode=Node,RBAC',
          '--enable-admission-plugins=NodeRestriction',
          `--client-ca-file=${clientAuthority}`,
        ]),
    ...(settings.tokens === undefined ? [] : [`--token-auth-file=${settings.tokens}`]),
    ...(settings.letsNodesJoin ? ['--enable-bootstrap-token-auth=true', '--anonymous-auth=false'] : []),
    ...(kubeletClient
      ? [
          `--kubelet-client-certificate=${kubeletClient.cert}`,
          `--kubelet-client-key=${kubeletClient.key}`,
          // It cannot resolve the names of nodes.
          '--kubelet-preferred-address-types=InternalIP',
        ]
      : []),
    ...(settings.egress === undefined ? [] : [`--egress-selector-config-file=${settings.egress}`]),
    // Its own address as the endpoint of the service `kubernetes` would be loopback, which is refused.
    '--endpoint-reconciler-type=none',
    '--profiling=false',
    // Helper pods are privileged; which namespaces may have them is for the rights of each to say.
    '--allow-privileged=true',
  ];
}

/** What drains, owners and namespaces need. */
export const DRAIN_CONTROLLERS = [
  'deployment-controller',
  'replicaset-controller',
  'job-controller',
  'garbage-collector-controller',
  'disruption-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
];

/** All that a cluster has by itself, and the one that removes tokens that have expired. */
export const ALL_CONTROLLERS = ['*', 'token-cleaner-controller'];

export interface ControllerSettings {
  kubeconfig: string;
  accountKey: string;
  controllers: readonly string[];
  /** Signs the certificates of nodes, and what pods check the API server against. */
  authority?: KeyPair;
  /** Where it tells its health; without it nowhere. */
  serving?: KeyPair & { port: number };
}

export function controllerFlags({ kubeconfig, accountKey, controllers, authority, serving }: ControllerSettings) {
  return [
    ...clientFlags(kubeconfig, serving),
    `--service-account-private-key-file=${accountKey}`,
    `--controllers=${controllers.join(',')}`,
    ...(authority
      ? [
          `--cluster-signing-cert-file=${authority.cert}`,
          `--cluster-signing-key-file=${authority.key}`,
          `--root-ca-file=${authority.cert}`,
          // Each controller under its own account: the program itself may do little.
          '--use-service-account-credentials=true',
        ]
      : []),
  ];
}

export const schedulerFlags = (kubeconfig: string, serving: KeyPair & { port: number }) =>
  clientFlags(kubeconfig, serving);

function clientFlags(kubeconfig: string, serving: (KeyPair & { port: number }) | undefined): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    // No kubeconfig for checking who asks it: anybody may ask for its health, and nobody for anything else.
    '--leader-elect=false',
    ...(serving
      ? ['--bind-address=127.0.0.1', `--secure-port=${serving.port}`, ...servingFlags(serving)]
      : ['--secure-port=0']),
  ];
}

const servingFlags = ({ cert, key }: KeyPair) => [`--tls-cert-file=${cert}`, `--tls-private-key-file=${key}`];

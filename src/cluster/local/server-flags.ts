// cluster/local/server-flags.ts: the command-line flags of each control plane program, for `cluster up` and for the plane of the tests.
// All servers listen on loopback; no argument contains a secret. Pure.

/** Programs of Kubernetes. */
export const KUBE_SERVERS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
export type KubeServer = (typeof KUBE_SERVERS)[number];

/** Our proxy through which the API server reaches nodes. */
export const EGRESS = 'headstart-egress';

/** All servers, in start order. */
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
  /** Without TLS every user of this machine can read and write all data. */
  tls?: KeyPair & { ca: string };
  /** The data need not survive a power cut. */
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
  /** A certificate, or a folder in which the server creates one. */
  serving: KeyPair | { folder: string };
  /** Certificates of this authority authenticate clients; also restricts nodes to the rights of a kubelet. */
  clientAuthority?: string | undefined;
  /** A static token file. */
  tokens?: string;
  /** The client certificate towards kubelets, for example for logs. */
  kubeletClient?: KeyPair;
  /** The egress configuration file. */
  egress?: string;
  /** Nodes without a certificate can authenticate with a bootstrap token. */
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
          // The API server cannot resolve node names.
          '--kubelet-preferred-address-types=InternalIP',
        ]
      : []),
    ...(settings.egress === undefined ? [] : [`--egress-selector-config-file=${settings.egress}`]),
    // The endpoint of the service `kubernetes` would be a loopback address, which Kubernetes rejects.
    '--endpoint-reconciler-type=none',
    '--profiling=false',
    // Helper pods are privileged; RBAC and namespaces restrict who may create them.
    '--allow-privileged=true',
  ];
}

/** Controllers that drains, owner references and namespaces need. */
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

/** The default controllers, and the one that deletes expired bootstrap tokens. */
export const ALL_CONTROLLERS = ['*', 'token-cleaner-controller'];

export interface ControllerSettings {
  kubeconfig: string;
  accountKey: string;
  controllers: readonly string[];
  /** Signs node certificates; also the root CA that pods get. */
  authority?: KeyPair;
  /** The health endpoint; absent: none. */
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
          // Each controller uses its own service account, so the program itself needs few rights.
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
    // Without an authentication kubeconfig everyone can read its health and nothing else.
    '--leader-elect=false',
    ...(serving
      ? ['--bind-address=127.0.0.1', `--secure-port=${serving.port}`, ...servingFlags(serving)]
      : ['--secure-port=0']),
  ];
}

const servingFlags = ({ cert, key }: KeyPair) => [`--tls-cert-file=${cert}`, `--tls-private-key-file=${key}`];

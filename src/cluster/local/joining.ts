// cluster/local/joining.ts: how does a node become one of this cluster? Roles for whoever comes with a bootstrap token, and such tokens.
import { randomInt } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { Secret } from '../../base/secret.ts';
import { Conflict } from '../../vms/failures.ts';
import { translate } from '../kubernetes/failures.ts';
import { KUBELET_CLIENT } from './authority.ts';
import { renderKubeconfig } from './kubeconfig.ts';

const BOOTSTRAPPERS = { kind: 'Group', name: 'system:bootstrappers' };
const NODES = { kind: 'Group', name: 'system:nodes' };
const REQUESTS = 'system:certificates.k8s.io:certificatesigningrequests';

/** Whoever has a token may ask for the certificate of a node and gets it at once; a node renews its own; the API server may ask kubelets. */
const BINDINGS = [
  { name: 'headstart:node-bootstrapper', role: 'system:node-bootstrapper', subject: BOOTSTRAPPERS },
  { name: 'headstart:approve-new-nodes', role: `${REQUESTS}:nodeclient`, subject: BOOTSTRAPPERS },
  { name: 'headstart:approve-renewals', role: `${REQUESTS}:selfnodeclient`, subject: NODES },
  { name: 'headstart:ask-kubelets', role: 'system:kubelet-api-admin', subject: { kind: 'User', name: KUBELET_CLIENT } },
];

/** Safe to repeat. */
export async function letNodesJoin(kubeconfig: string, signal?: AbortSignal): Promise<void> {
  const { config, library } = await load(kubeconfig);
  const rbac = config.makeApiClient(library.RbacAuthorizationV1Api);
  for (const { name, role, subject } of BINDINGS) {
    signal?.throwIfAborted();
    const body = {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', ...subject }],
    };
    const asked = { verb: 'create', resource: 'clusterrolebindings', name };
    await rbac.createClusterRoleBinding({ body }).catch((error: unknown) => unlessThere(translate(error, asked)));
  }
}

export interface NewToken {
  /** Public: it names the Secret. */
  id: string;
  /** `id.secret`, what a kubelet logs in with. */
  token: Secret;
  expiresMs: number;
}

/** Good for any number of nodes until it expires; the cluster then removes it. */
export async function createBootstrapToken(
  { kubeconfig, clock }: { kubeconfig: string; clock: Clock },
  ttlMs: number,
): Promise<NewToken> {
  const { config, library } = await load(kubeconfig);
  const core = config.makeApiClient(library.CoreV1Api);
  const [id, secret] = [randomText(6), randomText(16)];
  const expiresMs = clock.nowMs() + ttlMs;
  const name = `bootstrap-token-${id}`;
  const body = {
    metadata: { name },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': id,
      'token-secret': secret,
      expiration: new Date(expiresMs).toISOString().replace(/\.\d+Z$/, 'Z'),
      'usage-bootstrap-authentication': 'true',
    },
  };
  const asked = { verb: 'create', resource: 'secrets', name, namespace: NAMESPACE };
  await core.createNamespacedSecret({ namespace: NAMESPACE, body }).catch((error: unknown) => {
    throw translate(error, asked);
  });
  return { id, token: new Secret(`${id}.${secret}`), expiresMs };
}

/** What a kubelet is given as its first kubeconfig. It holds a secret: closed files only. */
export function bootstrapKubeconfig(server: string, ca: string, token: Secret): Secret {
  return new Secret(renderKubeconfig({ url: server, ca, token: token.reveal() }));
}

const NAMESPACE = 'kube-system';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const randomText = (length: number) => Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');

function unlessThere(error: Error): void {
  if (!(error instanceof Conflict)) throw error;
}

async function load(kubeconfig: string) {
  const library = await import('@kubernetes/client-node');
  const config = new library.KubeConfig();
  config.loadFromFile(kubeconfig);
  return { library, config };
}

// cluster/local/joining.ts: how does a node become one of this cluster, and how does it leave? Bootstrap tokens, the requests made with
// them, and the end of a Node.
import { randomInt } from 'node:crypto';
import type { V1CertificateSigningRequest } from '@kubernetes/client-node';
import type { Clock } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { connectCluster } from '../kubernetes/connect.ts';
import { SIGNER } from '../kubernetes/feed.ts';
import { renderKubeconfig } from './kubeconfig.ts';

/** As its administrator. */
export interface PlaneAccess {
  kubeconfig: string;
  clock: Clock;
}

export interface NewToken {
  /** Public: it names the Secret. */
  id: string;
  /** `id.secret`, what a kubelet logs in with. */
  token: Secret;
  expiresMs: number;
}

export interface TokenOptions {
  /** For whoever lists the tokens: whom it was made for. Anybody who may read Secrets sees it. */
  note?: string;
  signal?: AbortSignal | undefined;
}

/** Good for any number of nodes until it expires or is revoked; the cluster removes it when it has expired. */
export async function createBootstrapToken(
  access: PlaneAccess,
  ttlMs: number,
  { note, signal }: TokenOptions = {},
): Promise<NewToken> {
  const { core, call } = await connectCluster(access);
  const [id, secret] = [randomText(6), randomText(16)];
  const expiresMs = access.clock.nowMs() + ttlMs;
  const body = {
    metadata: { name: secretOf(id) },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': id,
      'token-secret': secret,
      expiration: new Date(expiresMs).toISOString().replace(/\.\d+Z$/, 'Z'),
      'usage-bootstrap-authentication': 'true',
      ...(note !== undefined && { description: note }),
    },
  };
  const request = { verb: 'create', resource: 'secrets', name: secretOf(id), namespace: NAMESPACE };
  await call(request, (options) => core.createNamespacedSecret({ namespace: NAMESPACE, body }, options), { signal });
  return { id, token: new Secret(`${id}.${secret}`), expiresMs };
}

/** The API server may remember for ten seconds more whom it has let in with it. Gone already is success. */
export async function revokeBootstrapToken(access: PlaneAccess, id: string, signal?: AbortSignal): Promise<void> {
  const secret = { name: secretOf(id), namespace: NAMESPACE };
  const { core, find } = await connectCluster(access);
  await find(
    { verb: 'delete', resource: 'secrets', ...secret },
    (options) => core.deleteNamespacedSecret(secret, options),
    { signal },
  );
}

/** What a kubelet is given as its first kubeconfig. It holds a secret: closed files only. */
export function bootstrapKubeconfig(server: string, ca: string, token: Secret): Secret {
  return new Secret(renderKubeconfig({ url: server, ca, token: token.reveal() }));
}

/** Its pods go with it, after a while. A kubelet that still runs as it would register it again. Gone already is success. */
export async function deleteNode(access: PlaneAccess, name: string, signal?: AbortSignal): Promise<void> {
  const { core, find } = await connectCluster(access);
  await find({ verb: 'delete', resource: 'nodes', name }, (options) => core.deleteNode({ name }, options), { signal });
}

export interface JoiningRequest {
  name: string;
  /** Who asked: `bootstrapUser(id)` for a newcomer with that token, `system:node:NAME` for a node that renews. */
  requestor: string;
  createdMs: number;
  state: 'pending' | 'approved' | 'issued' | 'denied' | 'failed';
}

/** As whom a kubelet is seen that has logged in with a token. */
export const bootstrapUser = (tokenId: string) => `system:bootstrap:${tokenId}`;

/** Of nodes that want a certificate, the oldest first. The cluster forgets them after a while. */
export async function listJoiningRequests(access: PlaneAccess, signal?: AbortSignal): Promise<JoiningRequest[]> {
  const { certificates, call } = await connectCluster(access);
  const fieldSelector = `spec.signerName=${SIGNER}`;
  const { items } = await call(
    { verb: 'list', resource: 'certificatesigningrequests' },
    (options) => certificates.listCertificateSigningRequest({ fieldSelector }, options),
    { signal },
  );
  return items.map(toJoiningRequest).sort((a, b) => a.createdMs - b.createdMs || (a.name < b.name ? -1 : 1));
}

export function toJoiningRequest({ metadata, spec, status }: V1CertificateSigningRequest): JoiningRequest {
  const conditions = (status?.conditions ?? []).filter((condition) => condition.status === 'True');
  const is = (type: string) => conditions.some((condition) => condition.type === type);
  return {
    name: metadata?.name ?? '',
    requestor: spec.username ?? '',
    createdMs: metadata?.creationTimestamp?.getTime() ?? 0,
    state: stateOf(is, status?.certificate !== undefined),
  };
}

/** Once refused, what was approved before does not count. */
function stateOf(is: (type: string) => boolean, hasCertificate: boolean): JoiningRequest['state'] {
  if (is('Denied')) return 'denied';
  if (is('Failed')) return 'failed';
  if (hasCertificate) return 'issued';
  return is('Approved') ? 'approved' : 'pending';
}

const NAMESPACE = 'kube-system';

/** A name that is not one could lead to somebody else's Secret. */
function secretOf(id: string): string {
  if (/^[a-z0-9]{6}$/.test(id)) return `bootstrap-token-${id}`;
  throw new UserError(`${JSON.stringify(id)} is not the id of a bootstrap token`, { code: 'cluster/bad-token-id' });
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const randomText = (length: number) => Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');

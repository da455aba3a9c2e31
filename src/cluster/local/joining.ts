// cluster/local/joining.ts: how does a node join this cluster, and how is it removed? Bootstrap tokens, the CSRs made with them, and
// deleting a Node.
import { randomInt } from 'node:crypto';
import type { V1CertificateSigningRequest } from '@kubernetes/client-node';
import type { Clock } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { connectCluster } from '../kubernetes/connect.ts';
import { SIGNER } from '../kubernetes/feed.ts';
import { renderKubeconfig } from './kubeconfig.ts';

/** Access as administrator. */
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
  /** What the token is for, as its description. Everyone who may read Secrets sees it. */
  note?: string;
  signal?: AbortSignal | undefined;
}

/** Valid for any number of nodes until it expires or is revoked. The cluster deletes expired tokens. */
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

/** The API server may cache the authentication for ten more seconds. A token that does not exist is not an error. */
export async function revokeBootstrapToken(access: PlaneAccess, id: string, signal?: AbortSignal): Promise<void> {
  const secret = { name: secretOf(id), namespace: NAMESPACE };
  const { core, find } = await connectCluster(access);
  await find(
    { verb: 'delete', resource: 'secrets', ...secret },
    (options) => core.deleteNamespacedSecret(secret, options),
    { signal },
  );
}

/** The first kubeconfig of a kubelet. It contains a secret: write it only to private files. */
export function bootstrapKubeconfig(server: string, ca: string, token: Secret): Secret {
  return new Secret(renderKubeconfig({ url: server, ca, token: token.reveal() }));
}

/** Its pods are deleted later. A kubelet that still runs registers the node again. A missing Node is not an error. */
export async function deleteNode(access: PlaneAccess, name: string, signal?: AbortSignal): Promise<void> {
  const { core, find } = await connectCluster(access);
  await find({ verb: 'delete', resource: 'nodes', name }, (options) => core.deleteNode({ name }, options), { signal });
}

export interface JoiningRequest {
  name: string;
  /** `bootstrapUser(id)` for a new node with that token, `system:node:NAME` for a node that renews. */
  requestor: string;
  createdMs: number;
  state: 'pending' | 'approved' | 'issued' | 'denied' | 'failed';
}

/** The user name of a kubelet that authenticates with a token. */
export const bootstrapUser = (tokenId: string) => `system:bootstrap:${tokenId}`;

/** CSRs of nodes, oldest first. The cluster deletes them after a while. */
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

/** A denial or failure overrides an earlier approval. */
function stateOf(is: (type: string) => boolean, hasCertificate: boolean): JoiningRequest['state'] {
  if (is('Denied')) return 'denied';
  if (is('Failed')) return 'failed';
  if (hasCertificate) return 'issued';
  return is('Approved') ? 'approved' : 'pending';
}

const NAMESPACE = 'kube-system';

/** An invalid id could name another Secret. */
function secretOf(id: string): string {
  if (/^[a-z0-9]{6}$/.test(id)) return `bootstrap-token-${id}`;
  throw new UserError(`${JSON.stringify(id)} is not the id of a bootstrap token`, { code: 'cluster/bad-token-id' });
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const randomText = (length: number) => Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');

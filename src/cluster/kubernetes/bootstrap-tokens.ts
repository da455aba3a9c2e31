// cluster/kubernetes/bootstrap-tokens.ts: does the token that a clone would join with still exist, and when does it expire?
import type { BootstrapToken, Cluster } from '../cluster.ts';
import type { Client } from './connect.ts';

/** The API server reads tokens only from this namespace. */
const NAMESPACE = 'kube-system';

export function tokenCalls({ core, find }: Pick<Client, 'core' | 'find'>): Pick<Cluster, 'readBootstrapToken'> {
  return {
    readBootstrapToken: async (id, signal) => {
      if (!/^[a-z0-9]{6}$/.test(id)) return undefined; // the id comes from a file on a node
      const name = `bootstrap-token-${id}`;
      const secret = await find(
        { verb: 'get', resource: 'secrets', name, namespace: NAMESPACE },
        (options) => core.readNamespacedSecret({ name, namespace: NAMESPACE }, options),
        { signal },
      );
      return secret && toToken(secret.data ?? {});
    },
  };
}

/** Drops the secret, which is in the same object. */
export function toToken(data: Readonly<Record<string, string>>): BootstrapToken {
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString();
  const expiration = text('expiration');
  // The API server treats an invalid expiration as expired.
  const expiresMs = expiration === '' ? undefined : Date.parse(expiration) || 0;
  return {
    ...(expiresMs !== undefined && { expiresMs }),
    isForJoining: text('usage-bootstrap-authentication') === 'true',
  };
}

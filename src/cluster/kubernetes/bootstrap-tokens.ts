// cluster/kubernetes/bootstrap-tokens.ts: does the cluster still know the token that a clone would join with, and for how long?
import type { BootstrapToken, Cluster } from '../cluster.ts';
import type { Client } from './connect.ts';

/** Where the server looks for them, whatever namespace we work in. */
const NAMESPACE = 'kube-system';

export function tokenCalls({ core, find }: Pick<Client, 'core' | 'find'>): Pick<Cluster, 'readBootstrapToken'> {
  return {
    readBootstrapToken: async (id, signal) => {
      if (!/^[a-z0-9]{6}$/.test(id)) return undefined; // it comes from a file on a node
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

/** The secret half is in the same object and goes no further. */
export function toToken(data: Readonly<Record<string, string>>): BootstrapToken {
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString();
  const expiration = text('expiration');
  // One that cannot be read is over: so the server takes it.
  const expiresMs = expiration === '' ? undefined : Date.parse(expiration) || 0;
  return {
    ...(expiresMs !== undefined && { expiresMs }),
    isForJoining: text('usage-bootstrap-authentication') === 'true',
  };
}

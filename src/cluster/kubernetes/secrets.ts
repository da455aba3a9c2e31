// cluster/kubernetes/secrets.ts: reads and writes Secrets: the saved model is for operators of the cluster only.
import { Conflict } from '../../base/failures.ts';
import type { Cluster } from '../cluster.ts';
import type { Client } from './connect.ts';
import { MANAGED_LABELS } from './helper-pod.ts';

export function secretCalls({
  core,
  namespace,
  call,
  find,
}: Client): Pick<Cluster, 'readSecret' | 'writeSecret' | 'deleteSecret'> {
  const request = (verb: string, name: string) => ({ verb, resource: 'secrets', name, namespace });
  return {
    readSecret: async (name, signal) => {
      const secret = await find(
        request('get', name),
        (options) => core.readNamespacedSecret({ name, namespace }, options),
        {
          signal,
        },
      );
      return secret && decode(secret.data ?? {});
    },
    writeSecret: async (name, values, signal) => {
      const metadata = { name, namespace, labels: MANAGED_LABELS };
      const body = { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata, data: encode(values) };
      try {
        await call(request('create', name), (options) => core.createNamespacedSecret({ namespace, body }, options), {
          signal,
        });
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
        const update = request('update', name);
        await call(update, (options) => core.replaceNamespacedSecret({ name, namespace, body }, options), { signal });
      }
    },
    deleteSecret: async (name, signal) => {
      await find(request('delete', name), (options) => core.deleteNamespacedSecret({ name, namespace }, options), {
        signal,
      });
    },
  };
}

function encode(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
}

function decode(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}

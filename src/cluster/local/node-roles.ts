// cluster/local/node-roles.ts: which roles are bound in a local cluster, so that nodes can join and the API server can ask them?
import type { V1ClusterRoleBinding } from '@kubernetes/client-node';
import { type Client, connectCluster } from '../kubernetes/connect.ts';
import { KUBELET_CLIENT } from './authority.ts';
import type { PlaneAccess } from './joining.ts';

interface Binding {
  name: string;
  role: string;
  subject: { kind: 'Group' | 'User'; name: string };
}

const BOOTSTRAPPERS = { kind: 'Group', name: 'system:bootstrappers' } as const;
const NODES = { kind: 'Group', name: 'system:nodes' } as const;
const REQUESTS = 'system:certificates.k8s.io:certificatesigningrequests';

/** Whoever has a token may ask for the certificate of a node and gets it at once; a node renews its own; the API server may ask kubelets. */
const BINDINGS: readonly Binding[] = [
  { name: 'headstart:node-bootstrapper', role: 'system:node-bootstrapper', subject: BOOTSTRAPPERS },
  { name: 'headstart:approve-new-nodes', role: `${REQUESTS}:nodeclient`, subject: BOOTSTRAPPERS },
  { name: 'headstart:approve-renewals', role: `${REQUESTS}:selfnodeclient`, subject: NODES },
  { name: 'headstart:ask-kubelets', role: 'system:kubelet-api-admin', subject: { kind: 'User', name: KUBELET_CLIENT } },
];

/** Names of those that are missing, or bound to somebody or something else. */
export async function bindingsToMake(access: PlaneAccess, signal?: AbortSignal): Promise<string[]> {
  const client = await connectCluster(access);
  const seen = await Promise.all(BINDINGS.map((binding) => read(client, binding, signal)));
  return BINDINGS.filter((binding, index) => !isAsWanted(binding, seen[index])).map(({ name }) => name);
}

/** Safe to repeat; what is as it should be is left alone. */
export async function letNodesJoin(access: PlaneAccess, signal?: AbortSignal): Promise<void> {
  const client = await connectCluster(access);
  const { rbac, call, find } = client;
  for (const binding of BINDINGS) {
    const { name } = binding;
    const seen = await read(client, binding, signal);
    if (isAsWanted(binding, seen)) continue;
    // A role that is bound cannot be exchanged, so the whole is made anew.
    if (seen)
      await find({ verb: 'delete', ...RESOURCE, name }, (options) => rbac.deleteClusterRoleBinding({ name }, options), {
        signal,
      });
    const body = toBody(binding);
    const request = { verb: 'create', ...RESOURCE, name };
    await call(request, (options) => rbac.createClusterRoleBinding({ body }, options), { signal });
  }
}

const RESOURCE = { resource: 'clusterrolebindings' };
const API_GROUP = 'rbac.authorization.k8s.io';

function read({ rbac, find }: Client, { name }: Binding, signal: AbortSignal | undefined) {
  const request = { verb: 'get', ...RESOURCE, name };
  return find(request, (options) => rbac.readClusterRoleBinding({ name }, options), { signal });
}

function toBody({ name, role, subject }: Binding): V1ClusterRoleBinding {
  return {
    metadata: { name },
    roleRef: { apiGroup: API_GROUP, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: API_GROUP, ...subject }],
  };
}

export function isAsWanted({ role, subject }: Omit<Binding, 'name'>, seen: V1ClusterRoleBinding | undefined): boolean {
  const [only, ...others] = seen?.subjects ?? [];
  return (
    seen?.roleRef.kind === 'ClusterRole' &&
    seen.roleRef.name === role &&
    others.length === 0 &&
    only?.kind === subject.kind &&
    only.name === subject.name
  );
}

// cluster/local/node-roles.ts: the role bindings that let nodes join and let the API server call kubelets.
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

/** A token holder may request a node certificate, which is approved at once; a node renews its own; the API server may call kubelets. */
const BINDINGS: readonly Binding[] = [
  { name: 'headstart:node-bootstrapper', role: 'system:node-bootstrapper', subject: BOOTSTRAPPERS },
  { name: 'headstart:approve-new-nodes', role: `${REQUESTS}:nodeclient`, subject: BOOTSTRAPPERS },
  { name: 'headstart:approve-renewals', role: `${REQUESTS}:selfnodeclient`, subject: NODES },
  { name: 'headstart:ask-kubelets', role: 'system:kubelet-api-admin', subject: { kind: 'User', name: KUBELET_CLIENT } },
];

/** Names of bindings that are missing or have another role or subject. */
export async function bindingsToMake(access: PlaneAccess, signal?: AbortSignal): Promise<string[]> {
  const client = await connectCluster(access);
  const seen = await Promise.all(BINDINGS.map((binding) => read(client, binding, signal)));
  return BINDINGS.filter((binding, index) => !isAsWanted(binding, seen[index])).map(({ name }) => name);
}

/** Safe to repeat: correct bindings stay unchanged. */
export async function letNodesJoin(access: PlaneAccess, signal?: AbortSignal): Promise<void> {
  const client = await connectCluster(access);
  const { rbac, call, find } = client;
  for (const binding of BINDINGS) {
    const { name } = binding;
    const seen = await read(client, binding, signal);
    if (isAsWanted(binding, seen)) continue;
    // The role of a binding is immutable, so the binding is deleted and created again.
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

// cluster/kubernetes/rights.ts: exactly which rights does this client need? The chart ships these, and the e2e tests run with no others.

export interface RbacRule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

/** On the whole cluster. */
export const CLUSTER_RULES: readonly RbacRule[] = [
  { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'patch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
  { apiGroups: ['apps'], resources: ['daemonsets'], verbs: ['get'] },
];

/** On the whole cluster, and only for `--drain-force`. */
export const FORCED_DRAIN_RULES: readonly RbacRule[] = [{ apiGroups: [''], resources: ['pods'], verbs: ['delete'] }];

/** In the namespace of the Lease, the Secret and the helper pod. */
export const NAMESPACE_RULES: readonly RbacRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update', 'delete'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create', 'update', 'delete'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'create', 'delete'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
];

/** In the namespace `default`, where the API server requires events about nodes. */
export const EVENT_RULES: readonly RbacRule[] = [{ apiGroups: [''], resources: ['events'], verbs: ['create'] }];

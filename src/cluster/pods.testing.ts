// cluster/pods.testing.ts: pods for drain tests.
import type { Pod } from './cluster.ts';

export function pod(name: string, more: Partial<Pod> = {}): Pod {
  return {
    namespace: 'shop',
    name,
    uid: `uid-${name}`,
    ownerKind: 'ReplicaSet',
    ownerExists: true,
    isMirror: false,
    hasEmptyDir: false,
    phase: 'Running',
    ...more,
  };
}

/** A pod without a controller. */
export function bare(name: string, more: Partial<Pod> = {}): Pod {
  const { ownerKind: _, ...rest } = pod(name, more);
  return rest;
}

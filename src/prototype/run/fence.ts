// prototype/run/fence.ts: changes are sent only while the run holds the pool. Reads are not limited.

import type { CallOptions, Fence } from '../../base/call-options.ts';
import { TooLate } from '../../base/failures.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { Gallery } from '../../vms/gallery.ts';
import type { Pools } from '../../vms/pools.ts';
import type { VmProvider } from '../../vms/provider.ts';
import type { Publisher } from '../../vms/publisher.ts';
import type { Snapshots } from '../../vms/snapshots.ts';

type Method<T> = keyof T & string;
type Reads =
  | Extract<Method<Pools>, 'locate' | 'locateAll' | 'parseProviderId' | 'findPool' | `read${string}` | `list${string}`>
  | Extract<Method<Snapshots | Gallery | Publisher>, `read${string}`>
  | Extract<Method<Gallery>, `read${string}` | `list${string}` | 'referencedImages'>
  | Extract<Method<Publisher>, `read${string}`>
  | Extract<Method<Snapshots>, `read${string}`>;
type Changes = Exclude<Method<Pools> | Method<Snapshots> | Method<Gallery> | Method<Publisher>, Reads>;

/** Where each change takes its options. */
const OPTIONS_AT: Readonly<Record<Changes, number>> = {
  stop: 1,
  deallocate: 1,
  start: 1,
  setProtection: 2,
  tagInstance: 2,
  tagPool: 2,
  createSnapshot: 1,
  deleteSnapshot: 1,
  ensureDefinition: 2,
  beginVersion: 1,
  setExcludedFromLatest: 3,
  tagVersion: 3,
  deleteVersion: 2,
  deleteDefinition: 1,
  deleteGallery: 1,
  changeModel: 2,
};

type ClusterChanges = Extract<
  Method<Cluster>,
  'changeNode' | 'evict' | 'deletePod' | 'writeSecret' | 'deleteSecret' | 'runOnNode'
>;

/** Their clients retry only for seconds, so that it is enough to check before the call. */
const CLUSTER_CHANGES: Readonly<Record<ClusterChanges, true>> = {
  changeNode: true,
  evict: true,
  deletePod: true,
  writeSecret: true,
  deleteSecret: true,
  runOnNode: true,
};

export function fencedProvider(provider: VmProvider, fence: Fence): VmProvider {
  const { pools, snapshots, gallery, publisher } = provider;
  const withFence = <T extends object>(contract: T) =>
    around(contract, (name, call) => {
      const at = OPTIONS_AT[name as Changes];
      if (at === undefined) return undefined;
      return (...args) => {
        requireHold(fence);
        const given = Array.from({ length: at + 1 }, (_, i) => args[i]);
        given[at] = { ...(args[at] as CallOptions | undefined), fence };
        return call(...given);
      };
    });
  return {
    ...provider,
    pools: withFence(pools),
    snapshots: withFence(snapshots),
    gallery: withFence(gallery),
    publisher: withFence(publisher),
  };
}

export function fencedCluster(cluster: Cluster, fence: Fence): Cluster {
  return around(cluster, (name, call) =>
    name in CLUSTER_CHANGES
      ? (...args) => {
          requireHold(fence);
          return call(...args);
        }
      : undefined,
  );
}

export function requireHold(fence: Fence): void {
  if (fence.leftMs() <= 0) throw new TooLate('the hold on the pool has ended: the change was not sent');
}

type Call = (...args: unknown[]) => unknown;

/** A proxy, so that a contract with private state behind its methods works too. `wrap` returns undefined for a read. */
function around<T extends object>(contract: T, wrap: (name: string, call: Call) => Call | undefined): T {
  return new Proxy(contract, {
    get(target, key) {
      const value = Reflect.get(target, key) as unknown;
      if (typeof value !== 'function' || typeof key !== 'string') return value;
      const call: Call = (...args) => Reflect.apply(value, target, args);
      const wrapped = wrap(key, call);
      // A refusal reaches the caller like any other failure of the call.
      return wrapped ? async (...args: unknown[]) => wrapped(...args) : call;
    },
  });
}

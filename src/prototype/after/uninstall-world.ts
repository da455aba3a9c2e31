// prototype/after/uninstall-world.ts: what does an uninstall observe of a pool, and how does it describe what it keeps?
import type { Lease, Node } from '../../cluster/cluster.ts';
import type { Definition, Version } from '../../vms/gallery.ts';
import type { ListedInstance, Pool } from '../../vms/pools.ts';
import type { SavedModel } from '../../vms/publisher.ts';
import type { Snapshot } from '../../vms/snapshots.ts';

/** An instance, and its Node if it has one. */
export interface PoolMachine {
  instance: ListedInstance;
  node?: Node;
}

export interface UninstallWorld {
  pool: Pool;
  machines: readonly PoolMachine[];
  /** Only a lease of another holder; our own is released at the end. */
  lease: Lease | undefined;
  definition: Definition | undefined;
  /** All definitions in the gallery; undefined if there is no gallery. */
  gallery: { name: string; definitions: readonly Definition[] } | undefined;
  versions: readonly Version[];
  /** Ids of versions that any model or instance refers to. */
  references: ReadonlySet<string>;
  snapshot: Snapshot | undefined;
  savedModel: SavedModel | undefined;
}

export interface KeptResource {
  what: string;
  because: string;
  /** How to get rid of it; absent if it is kept on request or is not ours. */
  next?: string;
}

// prototype/after/uninstall-world.ts: what does an uninstall see of a pool, and what does it say of a thing that it keeps?
import type { Lease, Node } from '../../cluster/cluster.ts';
import type { Definition, Version } from '../../vms/gallery.ts';
import type { Instance, Pool } from '../../vms/pools.ts';
import type { SavedModel } from '../../vms/publisher.ts';
import type { Snapshot } from '../../vms/snapshots.ts';

/** An instance, and its Kubernetes face where it has one. */
export interface PoolMachine {
  instance: Instance;
  node?: Node;
}

export interface UninstallWorld {
  pool: Pool;
  machines: readonly PoolMachine[];
  /** Of somebody else; ours goes when the work ends. */
  lease: Lease | undefined;
  definition: Definition | undefined;
  /** Everything in the gallery; undefined where there is no gallery. */
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
  /** What to do about it; absent where it stays because it was chosen, or is somebody else's. */
  next?: string;
}

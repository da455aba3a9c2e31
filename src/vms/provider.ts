// vms/provider.ts: what does a provider of VMs implement? Four contracts; a caller takes only those it needs.
import type { CallOptions } from '../base/call-options.ts';
import type { Gallery } from './gallery.ts';
import type { PoolRef, Pools } from './pools.ts';
import type { Publisher } from './publisher.ts';
import type { Snapshots } from './snapshots.ts';

export interface VmProvider {
  pools: Pools;
  snapshots: Snapshots;
  gallery: Gallery;
  publisher: Publisher;
  /** Absent if nothing can be forbidden or locked. Reads only. Throws `NotFound` when the pool does not exist. */
  checkAccess?(pool: PoolRef, gallery: string, options?: CallOptions): Promise<Access>;
}

/** Whether the login may do what a run on a pool needs, with the given gallery. */
export interface Access {
  /** Reasons why a run cannot succeed, with every missing right. */
  refusals: { code: string; reason: string; next: string }[];
  /** What the user should know before a run, for example that rights could not be read. */
  notes: string[];
}

// vms/provider.ts: what does a provider of VMs implement? Four contracts; a caller takes only those it needs.
import type { Gallery } from './gallery.ts';
import type { Pools } from './pools.ts';
import type { Publisher } from './publisher.ts';
import type { Snapshots } from './snapshots.ts';

export interface VmProvider {
  pools: Pools;
  snapshots: Snapshots;
  gallery: Gallery;
  publisher: Publisher;
}

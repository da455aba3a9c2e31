// vms/provider.ts: what does one provider of VMs offer? Four contracts; whoever needs less asks for less.
import type { Gallery } from './gallery.ts';
import type { Pools } from './pools.ts';
import type { Publisher } from './publisher.ts';
import type { Snapshots } from './snapshots.ts';

/** Azure, QEMU and the fake each make one. */
export interface VmProvider {
  pools: Pools;
  snapshots: Snapshots;
  gallery: Gallery;
  publisher: Publisher;
}

// vms/factory.ts: what does one provider of VMs offer? All four contracts at once.
import type { Gallery } from './gallery.ts';
import type { Pools } from './pools.ts';
import type { Publisher } from './publisher.ts';
import type { Snapshots } from './snapshots.ts';

export type { CallOptions, Waiting } from '../base/call-options.ts';
export type * from './gallery.ts';
export type * from './pools.ts';
export type { ModelChange, SavedModel as Recipe } from './publisher.ts';
export type * from './snapshots.ts';

export type Factory = Omit<Pools, 'findPool'> &
  Snapshots &
  Gallery & { readRecipe: Publisher['readModel']; changeModel: Publisher['offer'] };

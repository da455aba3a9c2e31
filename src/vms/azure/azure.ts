// vms/azure/azure.ts: what do all calls to Azure share? The connection, and a cache of earlier results.
import type { ListedInstance } from '../pools.ts';
import { groupPath, type ResourceGroupRef } from './arm-ids.ts';
import { type AzureConnection, type AzureDeps, openConnection } from './connect/connection.ts';
import type { AzureSettings } from './connect/settings.ts';
import type { DiskFacts } from './disks.ts';
import type { HardwareFacts, SetTraits } from './scale-set.ts';

export interface Azure extends AzureConnection {
  /** Cached per pool and image, because it changes only with the image. */
  knownHardware: Map<string, HardwareFacts>;
  /** Cached per pool id in lower case, because a scale set never changes them. */
  knownTraits: Map<string, SetTraits>;
  /** By the id in lower case. The facts of a disk that are kept do not change while it is attached. */
  knownDisks: Map<string, DiskFacts>;
  /** Cached per pool id in lower case: one instance, to read the pool's hardware from. */
  knownMembers: Map<string, ListedInstance>;
  /** Resource groups that contain pools, by their path: the fallback when the login may not list a whole subscription. */
  knownGroups: Map<string, ResourceGroupRef>;
}

export function azureOf(settings: AzureSettings, deps: AzureDeps): Azure {
  return {
    ...openConnection(settings, deps),
    knownHardware: new Map(),
    knownTraits: new Map(),
    knownDisks: new Map(),
    knownMembers: new Map(),
    knownGroups: new Map([[groupPath(settings), settings]]),
  };
}

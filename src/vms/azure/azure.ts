// vms/azure/azure.ts: what do all calls to Azure share? The connection, and a cache of earlier results.
import { type AzureConnection, type AzureDeps, openConnection } from './connect/connection.ts';
import type { AzureSettings } from './connect/settings.ts';
import type { HardwareFacts, SetTraits } from './scale-set.ts';

export interface Azure extends AzureConnection {
  /** Cached per pool and image, because it changes only with the image. */
  knownHardware: Map<string, HardwareFacts>;
  /** Cached per pool id in lower case, because a scale set never changes them. */
  knownTraits: Map<string, SetTraits>;
  /** Cached per pool id in lower case: the OS disk of one instance, to read the pool's hardware from. */
  knownDisks: Map<string, string>;
  /** Resource groups that contain pools: the fallback when the login may not list the whole subscription. */
  knownGroups: Set<string>;
}

export function azureOf(settings: AzureSettings, deps: AzureDeps): Azure {
  return {
    ...openConnection(settings, deps),
    knownHardware: new Map(),
    knownTraits: new Map(),
    knownDisks: new Map(),
    knownGroups: new Set([settings.resourceGroup.toLowerCase()]),
  };
}

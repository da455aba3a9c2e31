// vms/azure/azure.ts: what do all orders to one Azure share? The way there, and what was learned on earlier calls.
import { type AzureConnection, type AzureDeps, openConnection } from './connect/connection.ts';
import type { AzureSettings } from './connect/settings.ts';
import type { HardwareFacts } from './scale-set.ts';

export interface Azure extends AzureConnection {
  /** What does not change as long as the pool is built from the same image: asked once, not at every look. */
  knownHardware: Map<string, HardwareFacts>;
  /** A uniform set is all Spot or not at all, for life: asked once, not at every look at an instance. */
  knownSpot: Map<string, boolean>;
  /** Groups that pools were seen in: where to look when the subscription as a whole may not be listed. */
  knownGroups: Set<string>;
}

export function azureOf(settings: AzureSettings, deps: AzureDeps): Azure {
  return {
    ...openConnection(settings, deps),
    knownHardware: new Map(),
    knownSpot: new Map(),
    knownGroups: new Set([settings.resourceGroup.toLowerCase()]),
  };
}

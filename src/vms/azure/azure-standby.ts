// vms/azure/azure-standby.ts: which function implements each method of the standby contract on Azure?
import { boundTo } from '../bound-to.ts';
import type { Standby } from '../standby.ts';
import { azureOf } from './azure.ts';
import type { AzureDeps } from './connect/connection.ts';
import type { AzureSettings } from './connect/settings.ts';
import { claim } from './standby/claim.ts';
import { readStandby } from './standby/read-standby.ts';
import { deleteStandby, setStandby } from './standby/set-standby.ts';

/** Loads the SDK and logs in with the first call. */
export function createAzureStandby(settings: AzureSettings, deps: AzureDeps): Standby {
  return boundTo(azureOf(settings, deps), { readStandby, setStandby, deleteStandby, claim });
}

// cli/compose/azure-not-configured.ts: is Azure configured? Without any of its settings, the user may mean the VMs on this machine.
import { existsSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import { sameCommand } from '../output/same-command.ts';
import type { ConnectOptions } from '../prototype/connect-options.ts';
import type { CliDeps } from '../verb.ts';
import { type AzureOptions, DEFAULT_AZURE_JSON } from './azure-options.ts';

/** Throws if Azure is only the default and no setting names a subscription or resource group: a laptop needs --vms qemu. */
export function refuseWithoutAzure(
  options: AzureOptions & Pick<ConnectOptions, 'vms' | 'overSsh'>,
  { env, typed }: CliDeps,
): void {
  if (options.vms !== undefined || env.HEADSTART_VMS) return;
  const { subscription, resourceGroup, azureEndpoint, login, tenant, cloud } = options;
  if (subscription ?? resourceGroup ?? azureEndpoint ?? login ?? tenant ?? cloud ?? options.overSsh) return;
  if (env.AZURE_SUBSCRIPTION_ID || env.AZURE_RESOURCE_GROUP || env.HEADSTART_AZURE_ENDPOINT) return;
  const file = options.azureJson ?? DEFAULT_AZURE_JSON;
  if (file !== DEFAULT_AZURE_JSON || existsSync(file)) return;
  const here = typed ? sameCommand(typed, { add: ['--vms', 'qemu'] }) : '--vms qemu';
  throw new UserError(
    'Azure is not configured: no subscription (--subscription, AZURE_SUBSCRIPTION_ID, or azure.json); no resource group (--resource-group, AZURE_RESOURCE_GROUP, or azure.json)',
    {
      code: 'azure/bad-settings',
      kept: 'Nothing was touched.',
      next: `for the VMs and images on this machine: ${here} (HEADSTART_VMS=qemu for every command); for Azure, add the missing settings`,
    },
  );
}

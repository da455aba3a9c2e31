// cli/compose/azure-options.ts: the options that name the Azure subscription, resource group, cloud and login.
import { type Command, Option } from 'commander';
import { LOGIN_NAMES, type LoginName } from '../../vms/azure/connect/credentials.ts';
import type { SettingsFlags } from '../../vms/azure/connect/settings.ts';
import { SHARED_GROUPS } from '../help.ts';

export interface AzureOptions extends SettingsFlags {
  azureJson?: string;
  login?: LoginName;
}

export const DEFAULT_AZURE_JSON = '/etc/kubernetes/azure.json';

export function withAzureOptions(command: Command): Command {
  return command
    .optionsGroup(SHARED_GROUPS.azure)
    .option('--azure-json <FILE>', "the cluster's cloud provider file", DEFAULT_AZURE_JSON)
    .option('--subscription <ID>', 'the subscription; default: AZURE_SUBSCRIPTION_ID, or azure.json')
    .option(
      '--resource-group <NAME>',
      'the resource group of the gallery and the snapshots; default: AZURE_RESOURCE_GROUP, or azure.json',
    )
    .option('--tenant <ID>', 'the tenant; default: AZURE_TENANT_ID, or azure.json')
    .option('--cloud <NAME>', 'AzurePublicCloud, AzureUSGovernmentCloud or AzureChinaCloud; default: azure.json')
    .option('--azure-endpoint <URL>', 'the resource manager endpoint of Azure Stack or of the simulator')
    .addOption(new Option('--login <KIND>', 'how to log in; default: auto-detect').choices(LOGIN_NAMES))
    .optionsGroup('');
}

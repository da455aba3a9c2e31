// cli/compose/open-azure.ts: opens Azure with the settings from the options, the environment and azure.json.

import { existsSync, readFileSync } from 'node:fs';
import { systemClock } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import { showWaiting } from '../output/progress.ts';
import type { CliDeps } from '../verb.ts';
import { type AzureOptions, DEFAULT_AZURE_JSON } from './azure-options.ts';

/** Logs in at the first call, not before. */
export async function openAzure(options: AzureOptions, deps: CliDeps) {
  const [{ chooseSettings }, { chooseCredential, createCredential }, { createAzureProvider }] = await Promise.all([
    import('../../vms/azure/connect/settings.ts'),
    import('../../vms/azure/connect/credentials.ts'),
    import('../../vms/azure/azure-provider.ts'),
  ]);
  const sources = await readAzureSources(options, deps);
  const settings = chooseSettings(sources);
  const credential = await createCredential(chooseCredential(sources), settings);
  const provider = createAzureProvider(settings, { clock: systemClock, credential, onWaiting: showWaiting(deps) });
  return { provider, settings, credential };
}

/** What settings and logins are chosen from. Calls no server. */
export async function readAzureSources(options: AzureOptions, { env }: Pick<CliDeps, 'env'>) {
  const { needsCloudFile, CLOUD_FILE_VARIABLE } = await import('../../vms/azure/connect/settings.ts');
  const sources = { flags: options, env, azureJson: await readAzureJson(options.azureJson) };
  const named = env[CLOUD_FILE_VARIABLE] || undefined;
  const cloudFile = named ? readCloudFile(named) : needsCloudFile(sources) ? readNodesCloudFile() : undefined;
  return { ...sources, cloudFile };
}

/** The default file is optional: outside a cluster node it does not exist. */
async function readAzureJson(path = DEFAULT_AZURE_JSON) {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && path === DEFAULT_AZURE_JSON) return undefined;
    throw new UserError(`cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`, {
      code: 'prototype/azure-json',
      next: 'give the file with --azure-json, or the settings with --subscription and --resource-group',
      cause: error,
    });
  }
  const { parseAzureJson } = await import('../../vms/azure/connect/azure-json.ts');
  return parseAzureJson(text, path);
}

/** Where AKS Engine puts it on the nodes of an Azure Stack. */
const NODES_CLOUD_FILE = '/etc/kubernetes/azurestackcloud.json';

function readNodesCloudFile() {
  return existsSync(NODES_CLOUD_FILE) ? readCloudFile(NODES_CLOUD_FILE) : undefined;
}

/** The file that describes an Azure Stack. */
function readCloudFile(path: string): { from: string; text: string } {
  try {
    return { from: path, text: readFileSync(path, 'utf8') };
  } catch (error) {
    throw new UserError(`cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`, {
      code: 'azure/cloud-file',
      kept: 'Nothing was touched.',
      next: 'correct AZURE_ENVIRONMENT_FILEPATH, or give the address with --azure-endpoint',
      cause: error,
    });
  }
}

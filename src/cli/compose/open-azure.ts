// cli/compose/open-azure.ts: opens Azure with the settings from the options, the environment and azure.json.

import { readFileSync } from 'node:fs';
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
  const sources = { flags: options, env: deps.env, azureJson: await readAzureJson(options.azureJson) };
  const settings = chooseSettings(sources);
  const credential = await createCredential(chooseCredential(sources), settings);
  const provider = createAzureProvider(settings, { clock: systemClock, credential, onWaiting: showWaiting(deps) });
  return { provider, settings, credential };
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

// cli/image/blob-place.ts: which storage account is a disk uploaded to before it is published? Pure.
import type { Command } from 'commander';
import { UserError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { AzureSettings } from '../../vms/azure/connect/settings.ts';
import { SHARED_GROUPS } from '../help.ts';
import type { CliDeps } from '../verb.ts';

export interface StorageOptions {
  storageAccount?: string;
  container: string;
  blobEndpoint?: string;
}

export interface BlobPlaceFacts {
  /** `https://account.blob.core.windows.net`. */
  endpoint: string;
  container: string;
  storageAccountId: string;
  connectionString?: Secret;
}

export function withStorageOptions(command: Command): Command {
  return command
    .optionsGroup(SHARED_GROUPS.azure)
    .option(
      '--storage-account <NAME>',
      'the storage account to upload the disk to: a name in --resource-group, or a resource id',
    )
    .option('--container <NAME>', 'the container in that account', 'images')
    .option('--blob-endpoint <URL>', 'the blob endpoint of that account; default: the standard endpoint of the cloud')
    .optionsGroup('');
}

const ACCOUNT_ID =
  /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.Storage\/storageAccounts\/([a-z0-9]{3,24})$/i;
const ACCOUNT = /^[a-z0-9]{3,24}$/;
const CONTAINER = /^[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){2,62}$/;

/** A connection string in the environment has its own key and endpoint; without it, the gallery's login is used. */
export function blobPlace(
  { storageAccount = '', container, blobEndpoint }: StorageOptions,
  env: CliDeps['env'],
  settings: Pick<AzureSettings, 'subscriptionId' | 'resourceGroup' | 'endpoint'>,
): BlobPlaceFacts {
  const name = ACCOUNT_ID.exec(storageAccount)?.[1]?.toLowerCase() ?? storageAccount;
  const endpoint = blobEndpoint ?? `https://${name}.blob.${suffixOf(settings.endpoint)}`;
  const problems = [
    ...(ACCOUNT.test(name) ? [] : ['no storage account is named (--storage-account NAME, 3 to 24 letters and digits)']),
    ...(CONTAINER.test(container)
      ? []
      : [`'${container}' is not a container name: expected 3 to 63 lower-case letters, digits and single dashes`]),
    ...(URL.parse(endpoint)?.protocol === 'https:'
      ? []
      : [`'${endpoint}' is not an https URL: tokens are never sent unencrypted`]),
  ];
  if (problems.length > 0)
    throw new UserError(`the disk cannot be uploaded: ${problems.join('; ')}`, {
      code: 'image/bad-storage',
      kept: 'Nothing was touched.',
      next: 'correct these options, then run the same command again',
    });
  const { subscriptionId, resourceGroup } = settings;
  const storageAccountId = storageAccount.startsWith('/')
    ? storageAccount
    : `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}/providers/Microsoft.Storage/storageAccounts/${name}`;
  const key = env.AZURE_STORAGE_CONNECTION_STRING;
  return { endpoint, container, storageAccountId, ...(key && { connectionString: new Secret(key) }) };
}

/** Each cloud has its own storage domain. Other clouds need --blob-endpoint. */
function suffixOf(resourceManager: string): string {
  const host = URL.parse(resourceManager)?.hostname ?? '';
  if (host.endsWith('.usgovcloudapi.net')) return 'core.usgovcloudapi.net';
  if (host.endsWith('.chinacloudapi.cn')) return 'core.chinacloudapi.cn';
  return 'core.windows.net';
}

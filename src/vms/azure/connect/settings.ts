// vms/azure/connect/settings.ts: which cloud, subscription and resource group? Flags first, then the environment, then the cluster's azure.json.
import { z } from 'zod';
import { UserError } from '../../../base/errors.ts';
import type { AzureJson } from './azure-json.ts';

export interface AzureSettings {
  subscriptionId: string;
  /** The group of galleries and snapshots. Pools may be in any group: their ids contain it. */
  resourceGroup: string;
  tenantId?: string;
  /** The resource manager's URL, without a trailing slash. */
  endpoint: string;
  /** The setting it came from; absent when it follows from the cloud's name. */
  endpointFrom?: string;
  /** The login service's URL. */
  authorityHost: string;
  authorityHostFrom?: string;
  /** The audience of requested tokens. */
  audience: string;
}

/** Named like the command-line options. */
export interface SettingsFlags {
  subscription?: string;
  resourceGroup?: string;
  tenant?: string;
  cloud?: string;
  azureEndpoint?: string;
}

export interface SettingsSources {
  flags: SettingsFlags;
  env: Readonly<Record<string, string | undefined>>;
  azureJson?: AzureJson | undefined;
  /** The second file of an Azure Stack cluster, which describes a cloud without a well-known name. */
  cloudFile?: CloudFile | undefined;
}

export interface CloudFile {
  /** What named it, for messages. */
  from: string;
  text: string;
}

/** Names the file that describes the cloud, for Kubernetes' cloud provider and for Azure's SDKs alike. */
export const CLOUD_FILE_VARIABLE = 'AZURE_ENVIRONMENT_FILEPATH';

/** Whether the cloud has no well-known addresses, so that a file has to describe it. */
export function needsCloudFile({ flags, env, azureJson }: SettingsSources): boolean {
  return !cloudsByName.has(cloudNameOf({ flags, env, azureJson }).toLowerCase());
}

interface Cloud {
  endpoint: string;
  authorityHost: string;
  audience: string;
}

const azurePublic: Cloud = {
  endpoint: 'https://management.azure.com',
  authorityHost: 'https://login.microsoftonline.com',
  audience: 'https://management.azure.com',
};
const azureUsGovernment: Cloud = {
  endpoint: 'https://management.usgovcloudapi.net',
  authorityHost: 'https://login.microsoftonline.us',
  audience: 'https://management.usgovcloudapi.net',
};
const azureChina: Cloud = {
  endpoint: 'https://management.chinacloudapi.cn',
  authorityHost: 'https://login.chinacloudapi.cn',
  audience: 'https://management.chinacloudapi.cn',
};

/** Names used by the Kubernetes cloud provider, the Azure CLI and the SDKs. */
const cloudsByName = new Map<string, Cloud>([
  ['azurepubliccloud', azurePublic],
  ['azurecloud', azurePublic],
  ['azurepublic', azurePublic],
  ['azureusgovernmentcloud', azureUsGovernment],
  ['azureusgovernment', azureUsGovernment],
  ['azurechinacloud', azureChina],
  ['azurechina', azureChina],
]);

export function chooseSettings({ flags, env, azureJson, cloudFile }: SettingsSources): AzureSettings {
  const problems: string[] = [];
  const subscriptionId = flags.subscription ?? env.AZURE_SUBSCRIPTION_ID ?? azureJson?.subscriptionId;
  const resourceGroup = flags.resourceGroup ?? env.AZURE_RESOURCE_GROUP ?? azureJson?.resourceGroup;
  const tenantId = flags.tenant ?? env.AZURE_TENANT_ID ?? azureJson?.tenantId;
  if (!subscriptionId) problems.push('no subscription (--subscription, AZURE_SUBSCRIPTION_ID, or azure.json)');
  if (!resourceGroup) problems.push('no resource group (--resource-group, AZURE_RESOURCE_GROUP, or azure.json)');

  const cloudName = cloudNameOf({ flags, env, azureJson });
  // A name that the user typed comes before the file, as all flags do.
  const isTyped = flags.cloud !== undefined && cloudsByName.has(flags.cloud.toLowerCase());
  const described = cloudFile && !isTyped ? describedCloud(cloudFile) : undefined;
  if (typeof described === 'string') problems.push(described);
  const stack = typeof described === 'string' ? undefined : described;
  const cloud = stack ?? cloudsByName.get(cloudName.toLowerCase());
  const endpoint = flags.azureEndpoint ?? env.HEADSTART_AZURE_ENDPOINT ?? azureJson?.resourceManagerEndpoint;
  const authorityHost = env.AZURE_AUTHORITY_HOST || undefined;
  if (!cloud && !endpoint && !cloudFile)
    problems.push(
      `cloud '${cloudName}' is unknown: give its address with --azure-endpoint, or the file that describes it with ${CLOUD_FILE_VARIABLE}`,
    );
  if (endpoint && !isHttps(endpoint))
    problems.push(`'${endpoint}' is not an https address: tokens must not be sent unencrypted`);
  if (authorityHost && !isHttps(authorityHost))
    problems.push(`AZURE_AUTHORITY_HOST is '${authorityHost}', not an https address`);

  const proxy = proxyOf(env);
  if (proxy && !/^https?:$/.test(URL.parse(proxy.address)?.protocol ?? ''))
    problems.push(`${proxy.name} is not a URL like http://HOST:3128`);

  if (problems.length > 0 || !subscriptionId || !resourceGroup)
    throw new UserError(`Azure settings are missing or wrong: ${problems.join('; ')}`, {
      code: 'azure/bad-settings',
      kept: 'Nothing was touched.',
      next: 'fix these settings, then run the same command again',
    });
  const known = cloud ?? azurePublic;
  return {
    subscriptionId,
    resourceGroup,
    ...(tenantId && { tenantId }),
    endpoint: withoutSlash(endpoint ?? known.endpoint),
    ...(endpoint && { endpointFrom: endpointSource({ flags, env }) }),
    ...(!endpoint && stack && { endpointFrom: `${cloudFile?.from} (resourceManagerEndpoint)` }),
    authorityHost: withoutSlash(authorityHost ?? known.authorityHost),
    ...(authorityHost && { authorityHostFrom: 'AZURE_AUTHORITY_HOST' }),
    ...(!authorityHost && stack && { authorityHostFrom: `${cloudFile?.from} (activeDirectoryEndpoint)` }),
    // For a cloud without a name, the audience is its resource manager, unless its description has another.
    audience: withoutSlash(env.HEADSTART_AZURE_AUDIENCE ?? cloud?.audience ?? endpoint ?? known.audience),
  };
}

function endpointSource({ flags, env }: Pick<SettingsSources, 'flags' | 'env'>): string {
  if (flags.azureEndpoint !== undefined) return '--azure-endpoint';
  return env.HEADSTART_AZURE_ENDPOINT === undefined
    ? 'azure.json (resourceManagerEndpoint)'
    : 'HEADSTART_AZURE_ENDPOINT';
}

/** The same order as in the SDK. Errors do not show the address: it may contain a password. */
function proxyOf(env: SettingsSources['env']): { name: string; address: string } | undefined {
  for (const upper of ['HTTPS_PROXY', 'ALL_PROXY', 'HTTP_PROXY'])
    for (const name of [upper, upper.toLowerCase()]) if (env[name]) return { name, address: env[name] };
  return undefined;
}

function cloudNameOf({ flags, env, azureJson }: SettingsSources): string {
  return flags.cloud ?? env.AZURE_ENVIRONMENT ?? azureJson?.cloud ?? 'AzurePublicCloud';
}

/** The cloud, or what is wrong with its file. */
function describedCloud({ from, text }: CloudFile): Cloud | string {
  const parsed = cloudSchema.safeParse(asJson(text));
  if (parsed.success) {
    const { resourceManagerEndpoint, activeDirectoryEndpoint, tokenAudience, serviceManagementEndpoint } = parsed.data;
    return {
      endpoint: resourceManagerEndpoint,
      authorityHost: activeDirectoryEndpoint,
      audience: tokenAudience ?? serviceManagementEndpoint ?? resourceManagerEndpoint,
    };
  }
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
  return `${from} does not describe a cloud (${wrong.join(', ')})`;
}

const https = z.string('is missing').refine(isHttps, 'is not an https address');
const optional = z
  .string()
  .nullish()
  .transform((value) => value || undefined);
const cloudSchema = z.object(
  {
    resourceManagerEndpoint: https,
    activeDirectoryEndpoint: https,
    tokenAudience: optional,
    serviceManagementEndpoint: optional,
  },
  'is not a JSON object',
);

function asJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')); // AKS Engine wrote these files with a byte order mark
  } catch {
    return undefined;
  }
}

function isHttps(address: string): boolean {
  return URL.parse(address)?.protocol === 'https:';
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '');
}

// cli/prototype/connect.ts: the options every prototype verb shares, and the cloud and cluster they name.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import type { Cluster, Node } from '../../cluster/cluster.ts';
import { galleryName } from '../../prototype/names.ts';
import type { Factory, Instance, InstanceRef, PoolRef } from '../../vms/factory.ts';
import { NotFound, Refused } from '../../vms/failures.ts';
import type { Edges } from '../verb.ts';

export interface ConnectOptions {
  kubeconfig?: string;
  context?: string;
  namespace?: string;
  helperImage?: string;
  azureJson?: string;
  subscription?: string;
  resourceGroup?: string;
  tenant?: string;
  cloud?: string;
  azureEndpoint?: string;
  login?: 'cluster' | 'workload-identity' | 'managed-identity' | 'operator';
  cluster?: string;
  json?: boolean;
}

export function withConnectOptions(command: Command): Command {
  return command
    .option('--kubeconfig <FILE>', 'as in kubectl; default: KUBECONFIG, the home folder, or the pod this runs in')
    .option('--context <NAME>', 'which context of the kubeconfig')
    .option(
      '-n, --namespace <NAME>',
      'for the Lease, the saved recipe and the helper pod; one for all, so that runs see each other',
      'kube-system',
    )
    .option(
      '--helper-image <IMAGE>',
      'image of the short-lived pod that seals the donor; has to hold nsenter; default: HEADSTART_HELPER_IMAGE',
    )
    .option('--azure-json <FILE>', "the cluster's cloud provider file", DEFAULT_AZURE_JSON)
    .option('--subscription <ID>', 'default: AZURE_SUBSCRIPTION_ID, or azure.json')
    .option('--resource-group <NAME>', 'where gallery and snapshot live; default: AZURE_RESOURCE_GROUP, or azure.json')
    .option('--tenant <ID>', 'default: AZURE_TENANT_ID, or azure.json')
    .option('--cloud <NAME>', 'AzurePublicCloud, AzureUSGovernmentCloud, AzureChinaCloud')
    .option('--azure-endpoint <URL>', 'another resource manager: Azure Stack, or the simulator')
    .option('--login <KIND>', 'cluster, workload-identity, managed-identity or operator; default: what is there')
    .option('--cluster <NAME>', 'name of the gallery; default: the resource group')
    .option('--json', 'one JSON document; long verbs print one event a line, the result last');
}

const DEFAULT_AZURE_JSON = '/etc/kubernetes/azure.json';

export interface Connected {
  factory: Factory;
  cluster: Cluster;
  gallery: string;
}

export async function connectWorld(options: ConnectOptions, edges: Edges): Promise<Connected> {
  const [{ chooseSettings }, { chooseCredential, createCredential }, { createAzureFactory }, { kubernetesCluster }] =
    await Promise.all([
      import('../../vms/azure/settings.ts'),
      import('../../vms/azure/credentials.ts'),
      import('../../vms/azure/azure-factory.ts'),
      import('../../cluster/kubernetes/cluster.ts'),
    ]);
  const azureJson = await readAzureJson(options.azureJson ?? DEFAULT_AZURE_JSON);
  const settings = chooseSettings({
    flags: {
      ...(options.subscription !== undefined && { subscription: options.subscription }),
      ...(options.resourceGroup !== undefined && { resourceGroup: options.resourceGroup }),
      ...(options.tenant !== undefined && { tenant: options.tenant }),
      ...(options.cloud !== undefined && { cloud: options.cloud }),
      ...(options.azureEndpoint !== undefined && { endpoint: options.azureEndpoint }),
    },
    env: edges.env,
    ...(azureJson && { azureJson }),
  });
  const choice = chooseCredential({
    env: edges.env,
    ...(azureJson && { azureJson }),
    flags: options.login ? { login: options.login } : {},
  });
  const factory = createAzureFactory(settings, {
    clock: systemClock,
    credential: await createCredential(choice, settings),
  });
  const helperImage = options.helperImage ?? edges.env.HEADSTART_HELPER_IMAGE;
  const cluster = await kubernetesCluster({
    clock: systemClock,
    ...(options.kubeconfig !== undefined && { kubeconfig: options.kubeconfig }),
    ...(options.context !== undefined && { context: options.context }),
    ...(options.namespace !== undefined && { namespace: options.namespace }),
    ...(helperImage !== undefined && { helperImage }),
  });
  return { factory, cluster, gallery: galleryName(options.cluster ?? settings.resourceGroup) };
}

/** Optional: outside the cluster there is none, and the environment says the rest. */
async function readAzureJson(path: string) {
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
  const { parseAzureJson } = await import('../../vms/azure/azure-json.ts');
  return parseAzureJson(text, path);
}

/** By its provider id, never by its name. */
export async function locateNode(
  { factory, cluster }: Connected,
  name: string,
  signal: AbortSignal,
): Promise<{ node: Node; ref: InstanceRef }> {
  const node = await cluster.readNode(name, signal);
  if (!node) {
    throw new UserError(`there is no node ${name}`, {
      code: 'prototype/no-node',
      next: 'kubectl get nodes',
      exitCode: 1,
    });
  }
  return { node, ref: await factory.locate(node.providerId, { signal }) };
}

export interface PoolMember {
  pool: PoolRef;
  node: Node;
  instance: Instance;
}

/** The nodes that belong to a pool, with their instances; other nodes (a control plane, say) are left out. */
export async function listMembers({ factory, cluster }: Connected, signal: AbortSignal): Promise<PoolMember[]> {
  const members: PoolMember[] = [];
  for (const node of await cluster.listNodes(signal)) {
    const ref = await factory.locate(node.providerId, { signal }).catch((error: unknown) => {
      if (error instanceof Refused || error instanceof NotFound) return undefined;
      throw error;
    });
    const instance = ref && (await factory.readInstance(ref, { signal }));
    if (ref && instance) members.push({ pool: ref.pool, node, instance });
  }
  return members;
}

export async function poolMembers(
  world: Connected,
  poolName: string,
  signal: AbortSignal,
): Promise<{ pool: PoolRef; members: PoolMember[] }> {
  const all = await listMembers(world, signal);
  const members = all.filter((member) => member.pool.name.toLowerCase() === poolName.toLowerCase());
  const pool = members[0]?.pool;
  if (pool) return { pool, members };
  const known = [...new Set(all.map((member) => member.pool.name))].join(', ') || 'none';
  throw new UserError(`no node of this cluster belongs to a pool called ${poolName}; known: ${known}`, {
    code: 'prototype/no-pool',
    next: 'name the scale set as the cloud does',
    exitCode: 1,
  });
}

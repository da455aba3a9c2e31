// cli/prototype/connect-azure.ts: Azure's scale sets, and the cluster their instances are nodes of, or none.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { runCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';
import { sshProgram } from '../../base/ssh-program.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { galleryName } from '../../prototype/names.ts';
import type { Factory } from '../../vms/factory.ts';
import type { Instance, PoolRef } from '../../vms/pools.ts';
import { homeFolder, prototypeFolder } from '../pool/home.ts';
import type { Edges } from '../verb.ts';
import type { AzureOptions, Connected, ConnectOptions } from './connect.ts';
import { connectKubernetes } from './connect-kubernetes.ts';
import { sshChannel } from './connect-ssh.ts';
import { showWaiting } from './show-waiting.ts';

export const DEFAULT_AZURE_JSON = '/etc/kubernetes/azure.json';

/** Azure as the options, the environment and the cluster's file name it. Nobody logs in before the first call. */
export async function openAzure(options: AzureOptions, edges: Edges) {
  const [{ chooseSettings }, { chooseCredential, createCredential }, { createAzureFactory }] = await Promise.all([
    import('../../vms/azure/connect/settings.ts'),
    import('../../vms/azure/connect/credentials.ts'),
    import('../../vms/azure/azure-factory.ts'),
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
  const credential = await createCredential(choice, settings);
  const factory = createAzureFactory(settings, { clock: systemClock, credential, onWaiting: showWaiting(edges) });
  return { factory, settings, credential };
}

export async function connectAzure(options: ConnectOptions, edges: Edges): Promise<Connected> {
  const { factory, settings } = await openAzure(options, edges);
  if (options.cluster !== false) {
    const cluster = await connectKubernetes(options, edges);
    return {
      factory,
      cluster,
      hasCluster: true,
      channel: 'logged',
      gallery: galleryName(options.cluster ?? settings.resourceGroup),
    };
  }
  const pool = await namedPool(options.pool, settings);
  const { subscriptionId, resourceGroup } = settings;
  const folder = join(prototypeFolder(homeFolder(options, edges.env)), fileName(`${subscriptionId}_${resourceGroup}`));
  const cluster = await withoutCluster({ factory, pool, folder, options, edges });
  return {
    factory,
    cluster,
    hasCluster: false,
    channel: 'private',
    pools: async () => [pool],
    gallery: galleryName(resourceGroup),
  };
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
  const { parseAzureJson } = await import('../../vms/azure/connect/azure-json.ts');
  return parseAzureJson(text, path);
}

/** No node tells which pool it belongs to, so the pool has to be named: a scale set of the resource group, or its whole id. */
async function namedPool(
  name: string | undefined,
  settings: { subscriptionId: string; resourceGroup: string },
): Promise<PoolRef> {
  if (name === undefined) {
    throw new UserError('without a cluster no node tells which pool it belongs to', {
      code: 'prototype/pool-needed',
      next: 'name the scale set with --pool NAME',
    });
  }
  const { parseScaleSetId, scaleSetId } = await import('../../vms/azure/arm-ids.ts');
  const named = parseScaleSetId(name) ?? { ...settings, name };
  if (!/^[\w-][\w.-]{0,79}$/.test(named.name)) {
    throw new UserError(`${JSON.stringify(name)} is not the name or the id of a scale set`, {
      code: 'prototype/bad-pool-name',
      kept: 'Nothing was touched.',
      next: 'name the scale set with --pool NAME',
    });
  }
  return { id: scaleSetId(named), name: named.name };
}

interface Clusterless {
  factory: Factory;
  pool: PoolRef;
  folder: string;
  options: ConnectOptions;
  edges: Edges;
}

/** A host that --over-ssh names is the donor's, so that other instances are not asked whether they are up. */
async function withoutCluster({ factory, pool, folder, options, edges }: Clusterless): Promise<Cluster> {
  const { noCluster } = await import('../../cluster/none.ts');
  const { overSsh, node } = options;
  const channelTo = (host: string) => sshChannel(host, runCommand, sshProgram(edges.env));
  const named = typeof overSsh === 'string' ? channelTo(overSsh) : undefined;
  const channelOf = ({ computerName }: Instance) => named ?? channelTo(computerName);
  return noCluster({
    instances: factory.pools,
    pools: async () => [pool],
    providerIdOf: ({ id }) => `azure://${id}`,
    folder,
    clock: systemClock,
    onNote: (note) => edges.stderr(`note: ${note}\n`),
    ...(overSsh !== undefined && {
      runScript: (instance, script, limits) => channelOf(instance).run(script, limits),
      readiness: async (instance, signal) => ({
        isReady:
          (named !== undefined && instance.computerName !== node) || (await channelOf(instance).isAnswering(signal)),
      }),
    }),
  });
}

function fileName(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9_.-]/g, '-');
}

// cli/compose/connect-azure.ts: connects to Azure's scale sets, and to the cluster of their nodes, if there is one.
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { runCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';
import { sshProgram } from '../../base/ssh-program.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { sshChannel } from '../../cluster/ssh-channel.ts';
import { galleryName } from '../../prototype/names.ts';
import type { Site } from '../../prototype/site.ts';
import type { ListedInstance, PoolRef } from '../../vms/pools.ts';
import type { VmProvider } from '../../vms/provider.ts';
import { homeFolder, prototypeFolder } from '../pool/home.ts';
import type { ConnectOptions } from '../prototype/connect-options.ts';
import { chosenGallery } from '../prototype/gallery-option.ts';
import type { CliDeps } from '../verb.ts';
import { connectKubernetes } from './connect-kubernetes.ts';
import { openAzure } from './open-azure.ts';

export async function connectAzure(options: ConnectOptions, deps: CliDeps): Promise<Site> {
  const named = chosenGallery(options, deps);
  const { provider, settings } = await openAzure(options, deps);
  const gallery = named ?? galleryName(settings.resourceGroup);
  if (options.cluster !== false) {
    const cluster = await connectKubernetes(options, deps);
    return {
      provider,
      cluster,
      hasCluster: true,
      channel: 'logged',
      groupPools: (signal) => provider.pools.listPools(signal ? { signal } : {}),
      gallery,
    };
  }
  const pool = await namedPool(options.pool, settings);
  const { subscriptionId, resourceGroup } = settings;
  const folder = join(prototypeFolder(homeFolder(options, deps.env)), fileName(`${subscriptionId}_${resourceGroup}`));
  const cluster = await withoutCluster({ provider, pool, folder, options, deps });
  return {
    provider,
    cluster,
    hasCluster: false,
    channel: 'private',
    pools: async () => [pool],
    gallery,
  };
}

/** Without nodes the pool is not known, so --pool must name it: a scale set in the resource group, or a resource id. */
async function namedPool(
  name: string | undefined,
  settings: { subscriptionId: string; resourceGroup: string },
): Promise<PoolRef> {
  if (name === undefined) {
    throw new UserError('--no-cluster needs --pool: without nodes the pool is not known', {
      code: 'prototype/pool-needed',
      next: 'name the scale set with --pool NAME',
    });
  }
  const { parseScaleSetId, scaleSetId } = await import('../../vms/azure/arm-ids.ts');
  const named = parseScaleSetId(name) ?? { ...settings, name };
  if (!/^[\w-][\w.-]{0,79}$/.test(named.name)) {
    throw new UserError(`${JSON.stringify(name)} is not the name or the resource id of a scale set`, {
      code: 'prototype/bad-pool-name',
      kept: 'Nothing was touched.',
      next: 'name the scale set with --pool NAME',
    });
  }
  return { id: scaleSetId(named), name: named.name };
}

interface NoClusterInput {
  provider: VmProvider;
  pool: PoolRef;
  folder: string;
  options: ConnectOptions;
  deps: CliDeps;
}

/** A host named by --over-ssh is the donor's: other instances cannot be reached, and count as ready. */
async function withoutCluster({ provider, pool, folder, options, deps }: NoClusterInput): Promise<Cluster> {
  const { noCluster } = await import('../../cluster/none.ts');
  const { overSsh, node } = options;
  const channelTo = (host: string) => sshChannel(host, runCommand, sshProgram(deps.env));
  const named = typeof overSsh === 'string' ? channelTo(overSsh) : undefined;
  const channelOf = ({ computerName }: ListedInstance) => named ?? channelTo(computerName);
  return noCluster({
    instances: provider.pools,
    pools: async () => [pool],
    providerIdOf: ({ id }) => `azure://${id}`,
    folder,
    clock: systemClock,
    onNote: (note) => deps.stderr(`note: ${note}\n`),
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

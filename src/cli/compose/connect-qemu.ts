// cli/compose/connect-qemu.ts: connects to the pools on this machine, and to the cluster of their nodes, if there is one.
import { systemClock } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { clusterFiles, readClusterRecord } from '../../cluster/local/cluster-files.ts';
import { noSuchCluster } from '../../cluster/local/no-such-cluster.ts';
import { noCluster } from '../../cluster/none.ts';
import { galleryName } from '../../prototype/names.ts';
import type { Site } from '../../prototype/site.ts';
import { providerId } from '../../vms/qemu/home/layout.ts';
import type { QemuProvider } from '../../vms/qemu/local-provider.ts';
import { homeFolder, prototypeFolder } from '../pool/home.ts';
import type { ConnectOptions } from '../prototype/connect-options.ts';
import { chosenGallery } from '../prototype/gallery-option.ts';
import type { CliDeps } from '../verb.ts';
import { connectKubernetes } from './connect-kubernetes.ts';
import { guestsOf, throughAgent } from './guest-scripts.ts';
import { type OpenPools, openPools } from './open-pools.ts';

/** Uses a cluster only if the options or the pool name one: the default kubeconfig may belong to another cluster. */
export async function connectQemu(options: ConnectOptions, deps: CliDeps, open: OpenPools = openPools): Promise<Site> {
  const gallery = chosenGallery(options, deps) ?? galleryName('local');
  const provider = await open(options, deps);
  const pools = async (signal?: AbortSignal) => (await provider.pools.listPools({ signal })).map(({ ref }) => ref);
  const local = await localClusterOf(provider, options, deps.env);
  const kubeconfig = options.kubeconfig ?? (options.context === undefined ? local : undefined);
  if (options.cluster !== false && (kubeconfig !== undefined || options.context !== undefined)) {
    const kubernetes = await connectKubernetes({ ...options, ...(kubeconfig !== undefined && { kubeconfig }) }, deps);
    const cluster: Cluster = { ...kubernetes, runOnNode: throughAgent(provider, kubernetes) };
    return {
      provider,
      cluster,
      hasCluster: true,
      channel: 'private',
      givesCredentials: local !== undefined,
      pools,
      gallery,
    };
  }
  const cluster = noCluster({
    instances: provider.pools,
    pools,
    providerIdOf: providerId,
    folder: prototypeFolder(homeFolder(options, deps.env)),
    clock: systemClock,
    onNote: (note) => deps.stderr(`note: ${note}\n`),
    ...guestsOf(provider),
  });
  return { provider, cluster, hasCluster: false, channel: 'private', pools, gallery };
}

/** The kubeconfig of the cluster that the named pool belongs to; without a named pool, the one that all pools belong to. */
async function localClusterOf(
  provider: QemuProvider,
  options: ConnectOptions,
  env: CliDeps['env'],
): Promise<string | undefined> {
  const all = await provider.pools.listPools();
  const poolName = options.pool ?? options.node?.replace(/-\d{6}$/, '');
  const pools = poolName === undefined ? all : all.filter(({ ref }) => ref.name === poolName);
  const named = new Set(await Promise.all(pools.map(async ({ ref }) => (await provider.pools.readSpec(ref)).cluster)));
  const isGiven = options.kubeconfig !== undefined || options.context !== undefined || options.cluster === false;
  if (named.size > 1 && isGiven) return undefined;
  if (named.size > 1) {
    throw new UserError('the pools on this machine belong to different clusters', {
      code: 'prototype/which-cluster',
      kept: 'Nothing was touched.',
      next: `name a pool with --pool: ${all.map(({ ref }) => ref.name).join(', ')}`,
    });
  }
  const [name] = named;
  if (name === undefined) return undefined;
  const place = { home: homeFolder(options, env), name };
  if (!readClusterRecord(place)) throw noSuchCluster(place);
  if (options.cluster !== false) return clusterFiles(place).kubeconfig;
  throw new UserError(`the pool belongs to cluster ${name}; without the cluster, the donor would not be drained`, {
    code: 'prototype/option-misfit',
    kept: 'Nothing was touched.',
    next: 'leave out --no-cluster',
  });
}

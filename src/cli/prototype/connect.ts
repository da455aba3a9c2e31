// cli/prototype/connect.ts: the options every prototype verb shares, and the VMs and the cluster they name.
import { type Command, Option } from 'commander';
import { UserError } from '../../base/errors.ts';
import { NotFound, Refused } from '../../base/failures.ts';
import type { Cluster, Node } from '../../cluster/cluster.ts';
import type { Channel } from '../../prototype/donor/inspect/inspect-donor.ts';
import { LOGIN_NAMES, type LoginName } from '../../vms/azure/connect/credentials.ts';
import type { Factory } from '../../vms/factory.ts';
import type { Instance, InstanceRef, PoolRef } from '../../vms/pools.ts';
import { SHARED_GROUPS } from '../help.ts';
import { type HomeOptions, withHomeOption } from '../pool/home.ts';
import type { CaptureOptions } from '../pool/open-pools.ts';
import type { Edges } from '../verb.ts';
import { refuseWithoutAzure } from './azure-not-configured.ts';
import { connectAzure, DEFAULT_AZURE_JSON } from './connect-azure.ts';
import { withoutDeadHolders } from './holder.ts';
import { noNode, noPool } from './not-found.ts';

export interface AzureOptions {
  azureJson?: string;
  subscription?: string;
  resourceGroup?: string;
  tenant?: string;
  cloud?: string;
  azureEndpoint?: string;
  login?: LoginName;
}

export interface ConnectOptions extends HomeOptions, CaptureOptions, AzureOptions {
  vms?: 'azure' | 'qemu';
  kubeconfig?: string;
  context?: string;
  namespace?: string;
  helperImage?: string;
  /** false: `--no-cluster`. */
  cluster?: string | false;
  /** true: each instance by its computer name. */
  overSsh?: string | true;
  /** Of the verbs that have them; without a cluster they say which machine is meant. */
  pool?: string;
  node?: string;
  /** Of `uninstall`: it reaches every node of the pool. */
  unseal?: boolean;
  json?: boolean;
}

export function withConnectOptions(command: Command): Command {
  withHomeOption(command.addOption(vmsOption('where the pool is; qemu is this machine')))
    .optionsGroup(SHARED_GROUPS.cluster)
    .option('--kubeconfig <FILE>', 'the kubeconfig; default: KUBECONFIG, ~/.kube/config, or the pod that this runs in')
    .option('--context <NAME>', 'the context of the kubeconfig')
    .option(
      '-n, --namespace <NAME>',
      'the namespace of the Lease, the saved model and the helper pod; use the same one in every run',
      'kube-system',
    )
    .option('--cluster <NAME>', 'the name of the gallery; default: the resource group')
    .option(
      '--no-cluster',
      'the pool belongs to no cluster; use lock files and tags instead of a Lease and annotations',
    )
    .optionsGroup('');
  return withAzureOptions(command).option('--json', 'print JSON instead of text');
}

/** Of the verbs that run a script on a node. */
export function withNodeAccessOptions(command: Command): Command {
  return command
    .optionsGroup(SHARED_GROUPS.cluster)
    .option(
      '--helper-image <IMAGE>',
      'the image of the short-lived pod that runs scripts on a node; needs nsenter; default: HEADSTART_HELPER_IMAGE',
    )
    .option(
      '--over-ssh [USER@HOST]',
      'with --no-cluster on Azure: reach the donor over ssh as root, or as a user with sudo; without a value: by its computer name',
    )
    .optionsGroup('');
}

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
    .option('--azure-endpoint <URL>', 'the resource manager of Azure Stack, or of the simulator')
    .addOption(new Option('--login <KIND>', 'how to log in; default: auto-detect').choices(LOGIN_NAMES))
    .optionsGroup('');
}

export function vmsOption(where: string): Option {
  return new Option('--vms <KIND>', `${where}; default: HEADSTART_VMS, or azure`)
    .choices(VMS)
    .helpGroup(SHARED_GROUPS.local);
}

const VMS = ['azure', 'qemu'] as const;

export interface Connected {
  factory: Factory;
  cluster: Cluster;
  /** false: nothing has to join one. */
  hasCluster: boolean;
  /** What a script on a node prints goes through a pod's log, or to us alone. */
  channel: Channel;
  /** Each instance is given what it joins with when it starts: nothing of the donor is needed for it. */
  givesCredentials?: boolean;
  /** Where the factory knows its pools without asking nodes. */
  pools?: (signal?: AbortSignal) => Promise<readonly PoolRef[]>;
  gallery: string;
}

export async function connectWorld(options: ConnectOptions, edges: Edges): Promise<Connected> {
  const vms = chosenVms(options, edges.env);
  refuseMisfits({ ...options, vms });
  if (vms === 'azure') refuseWithoutAzure(options, edges);
  // Loaded when needed: with the files of local clusters it takes as long as the rest of --help.
  const connect = vms === 'qemu' ? (await import('./connect-qemu.ts')).connectQemu : connectAzure;
  const world = await connect(options, edges);
  return { ...world, cluster: withoutDeadHolders(world.cluster) };
}

export function chosenVms(
  options: Pick<ConnectOptions, 'vms'>,
  { HEADSTART_VMS: named }: Edges['env'],
): (typeof VMS)[number] {
  if (options.vms) return options.vms;
  const vms = named ? VMS.find((kind) => kind === named) : 'azure';
  if (vms) return vms;
  throw new UserError(`HEADSTART_VMS is ${JSON.stringify(named)}, not one of ${VMS.join(', ')}`, {
    code: 'prototype/bad-vms',
    next: 'set it right, or give --vms',
  });
}

/** An option that would change nothing is a misunderstanding, and better cleared up before anything is touched. */
function refuseMisfits({ vms, cluster, overSsh, unseal, scrub, cloudInit }: ConnectOptions): void {
  const isLocal = vms === 'qemu';
  const refuse = (message: string, next: string) => {
    throw new UserError(message, { code: 'prototype/option-misfit', kept: 'Nothing was touched.', next });
  };
  if (!isLocal && scrub === false)
    refuse('on Azure the copy is not scrubbed: nothing there can edit a captured disk', 'leave --no-scrub out');
  if (!isLocal && cloudInit !== undefined)
    refuse(
      '--cloud-init is for pools of this machine: Azure provisions every instance through it, and nothing there can edit a captured disk',
      'leave --cloud-init out',
    );
  if (overSsh !== undefined && (isLocal || cluster !== false)) {
    const instead = isLocal ? "the guest's agent is the way in" : 'a pod is the way in';
    refuse(`--over-ssh goes with --no-cluster on Azure; here ${instead}`, 'leave --over-ssh out');
  }
  if (unseal && !isLocal && cluster === false && overSsh === undefined)
    refuse(
      '--unseal runs a script on every node of the pool, and without a cluster there is no way in',
      'add --over-ssh, or leave --unseal out',
    );
  if (unseal && typeof overSsh === 'string')
    refuse(
      `--unseal reaches every node of the pool, and --over-ssh ${overSsh} only one`,
      'give --over-ssh without a host',
    );
}

/** By its provider id, never by its name. */
export async function locateNode(
  { factory, cluster, hasCluster }: Connected,
  name: string,
  signal: AbortSignal,
): Promise<{ node: Node; ref: InstanceRef }> {
  const node = await cluster.readNode(name, signal);
  if (!node) {
    const known = await cluster.listNodes(signal);
    throw noNode(
      name,
      known.map((one) => one.name),
      hasCluster,
    );
  }
  return { node, ref: await factory.pools.locate(node.providerId, { signal }) };
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
    const ref = await factory.pools.locate(node.providerId, { signal }).catch((error: unknown) => {
      if (error instanceof Refused || error instanceof NotFound) return undefined;
      throw error;
    });
    const instance = ref && (await factory.pools.readInstance(ref, { signal }));
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
  const pools = await poolsWith(world, all, signal);
  const pool = pools.find(({ id, name }) => [id, name].some((known) => known.toLowerCase() === poolName.toLowerCase()));
  if (pool) return { pool, members: all.filter((member) => member.pool.id.toLowerCase() === pool.id.toLowerCase()) };
  throw noPool(poolName, {
    pools: pools.map(({ name }) => name),
    hasCluster: world.hasCluster,
    isLocal: world.pools !== undefined,
  });
}

/** Of this machine all; elsewhere those that have nodes here. */
export async function listPools(world: Connected, signal: AbortSignal): Promise<PoolRef[]> {
  return poolsWith(world, await listMembers(world, signal), signal);
}

async function poolsWith(world: Connected, members: readonly PoolMember[], signal: AbortSignal): Promise<PoolRef[]> {
  const known = [...((await world.pools?.(signal)) ?? []), ...members.map((member) => member.pool)];
  return [...new Map(known.map((pool) => [pool.id.toLowerCase(), pool])).values()];
}

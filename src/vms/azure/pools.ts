// vms/azure/pools.ts: find and read pools.
import type { Disk } from '@azure/arm-compute';
import type { CallOptions } from '../../base/call-options.ts';
import type { Pool, PoolRef } from '../pools.ts';
import { isScaleSetName, parseDiskId, parseScaleSetId } from './arm-ids.ts';
import type { Azure } from './azure.ts';
import type { AzureCall } from './connect/connection.ts';
import { collectPages, firstPage, undefinedIfMissing } from './connect/reading.ts';
import { instancesOfSet } from './instances.ts';
import { poolNotFound } from './pool-not-found.ts';
import { poolScaleSet, readScaleSet, readSetRef, refOf, remember } from './read-scale-set.ts';
import { type AzureScaleSet, type HardwareFacts, poolOf, securityTypeOf, traitsOf } from './scale-set.ts';

/** Looks in the settings' resource group, unless `name` is a full resource id. */
export async function findPool(azure: Azure, name: string, options?: CallOptions): Promise<PoolRef> {
  const call = await azure.open(options);
  const { subscriptionId, resourceGroup } = call.settings;
  const ref = parseScaleSetId(name) ?? { subscriptionId, resourceGroup, name };
  const pool = isScaleSetName(ref.name) ? await readSetRef(azure, call, ref) : undefined;
  if (!pool) throw await poolNotFound(call, ref);
  return pool;
}

/** The pools of the settings' resource group. */
export async function listPools(azure: Azure, options?: CallOptions): Promise<PoolRef[]> {
  const call = await azure.open(options);
  const { subscriptionId, resourceGroup } = call.settings;
  const sets = await call.run(`scale sets of ${resourceGroup}`, () =>
    collectPages(call.compute(subscriptionId).virtualMachineScaleSets.list(resourceGroup)),
  );
  return sets.flatMap(({ id, name }) => (id && name ? [refOf({ id, name })] : []));
}

export async function readPool(azure: Azure, pool: PoolRef, options?: CallOptions): Promise<Pool | undefined> {
  const call = await azure.open(options);
  const ref = poolScaleSet(pool);
  azure.knownGroups.add(ref.resourceGroup.toLowerCase());
  const set = await readScaleSet(call, ref);
  if (!set) return undefined;
  remember(azure, set);
  const image = JSON.stringify(set.properties.virtualMachineProfile?.storageProfile?.imageReference ?? null);
  const key = [pool.id.toLowerCase(), image, securityTypeOf(set)].join(' ');
  const hardware = azure.knownHardware.get(key) ?? (await hardwareOf(azure, call, set));
  if (!hardware) return poolOf(set, refOf(set), guessedHardware(set));
  azure.knownHardware.set(key, hardware);
  return poolOf(set, refOf(set), hardware);
}

/** Read from an instance's disk. Old disks have no architecture. */
async function hardwareOf(azure: Azure, call: AzureCall, set: AzureScaleSet): Promise<HardwareFacts | undefined> {
  const known = await readDisk(call, azure.knownDisks.get(refOf(set).id.toLowerCase()));
  const found = known ?? (await readDisk(call, await someDisk(call, set)));
  if (!found) return undefined;
  const guessed = guessedHardware(set);
  return {
    generation: found.hyperVGeneration === 'V2' ? 'V2' : guessed.generation,
    architecture: found.supportedCapabilities?.architecture === 'Arm64' ? 'Arm64' : guessed.architecture,
  };
}

/** The first page is enough: the instances of a pool have the same hardware. */
async function someDisk(call: AzureCall, set: AzureScaleSet): Promise<string | undefined> {
  return (await instancesOfSet(call, traitsOf(set), firstPage)).find((instance) => instance.osDisk)?.osDisk?.id;
}

/** undefined: the instance was deleted since it was listed. */
async function readDisk(call: AzureCall, id: string | undefined): Promise<Disk | undefined> {
  const disk = id === undefined ? undefined : parseDiskId(id);
  if (!disk) return undefined;
  return undefinedIfMissing(() =>
    call.run(`disk ${disk.name}`, () => call.compute(disk.subscriptionId).disks.get(disk.resourceGroup, disk.name)),
  );
}

/** For a pool without a disk, which has no donor either. Secure boot and Arm require generation 2. */
export function guessedHardware(set: AzureScaleSet): HardwareFacts {
  // VM size names have feature letters in lower case after the number; `p` means an Arm processor.
  const isArm = /^Standard_[A-Z]+[\d-]+[a-z]*p[a-z]*(?:_|$)/.test(set.sku?.name ?? '');
  const isSecond = isArm || securityTypeOf(set) !== 'Standard';
  return { generation: isSecond ? 'V2' : 'V1', architecture: isArm ? 'Arm64' : 'x64' };
}

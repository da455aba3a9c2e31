// vms/azure/pools.ts: find and read pools.
import type { CallOptions } from '../../base/call-options.ts';
import type { Pool, PoolRef } from '../pools.ts';
import { groupPath, isScaleSetName, parseScaleSetId } from './arm-ids.ts';
import type { Azure } from './azure.ts';
import type { AzureCall } from './connect/connection.ts';
import { collectPages, firstPage } from './connect/reading.ts';
import { knownDisk } from './disks.ts';
import { instancesOfSet, typicalOf } from './instances.ts';
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
  azure.knownGroups.set(groupPath(ref), ref);
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

/**
 * From an instance of the current model, else of an earlier one: its disk, then what the platform reports of the VM. Old disks have
 * neither generation nor architecture.
 */
async function hardwareOf(azure: Azure, call: AzureCall, set: AzureScaleSet): Promise<HardwareFacts | undefined> {
  const known = azure.knownMembers.get(refOf(set).id.toLowerCase());
  // The first page is enough: the instances of a pool have the same hardware.
  const { osDisk } = known ?? typicalOf(await instancesOfSet(call, traitsOf(set), firstPage)) ?? {};
  if (!osDisk) return undefined;
  const disk = await knownDisk(azure.knownDisks, call, osDisk.id);
  const guessed = guessedHardware(set);
  return {
    generation: disk?.generation ?? osDisk.generation ?? guessed.generation,
    architecture: disk?.architecture ?? guessed.architecture,
    ...(osDisk.controller && { controller: osDisk.controller }),
    ...(disk && { imageFeatures: disk.imageFeatures }),
  };
}

/** For a pool without a disk, which has no donor either. Secure boot and Arm require generation 2. */
export function guessedHardware(set: AzureScaleSet): HardwareFacts {
  // VM size names have feature letters in lower case after the number; `p` means an Arm processor.
  const isArm = /^Standard_[A-Z]+[\d-]+[a-z]*p[a-z]*(?:_|$)/.test(set.sku?.name ?? '');
  const isSecond = isArm || securityTypeOf(set) !== 'Standard';
  return { generation: isSecond ? 'V2' : 'unknown', architecture: isArm ? 'Arm64' : 'x64' };
}

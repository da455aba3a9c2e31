// vms/azure/pools.ts: find and read pools.
import type { CallOptions } from '../../base/call-options.ts';
import type { Pool, PoolRef } from '../pools.ts';
import { groupPath, isScaleSetName, parseDiskId, parseScaleSetId } from './arm-ids.ts';
import type { Azure } from './azure.ts';
import type { AzureCall } from './connect/connection.ts';
import { instancesOfSet } from './instances.ts';
import { poolNotFound } from './pool-not-found.ts';
import { poolScaleSet, readScaleSet, refOf } from './read-scale-set.ts';
import { type AzureScaleSet, type HardwareFacts, poolOf, securityTypeOf } from './scale-set.ts';

/** Looks in the settings' resource group, unless `name` is a full resource id. */
export async function findPool(azure: Azure, name: string, options?: CallOptions): Promise<PoolRef> {
  const call = await azure.open(options);
  const { subscriptionId, resourceGroup } = call.settings;
  const ref = parseScaleSetId(name) ?? { subscriptionId, resourceGroup, name };
  const set = isScaleSetName(ref.name) ? await readScaleSet(call, ref) : undefined;
  if (!set) throw await poolNotFound(call, ref);
  return refOf(set);
}

export async function readPool(azure: Azure, pool: PoolRef, options?: CallOptions): Promise<Pool | undefined> {
  const call = await azure.open(options);
  const ref = poolScaleSet(pool);
  azure.knownGroups.set(groupPath(ref), ref);
  const set = await readScaleSet(call, ref);
  if (!set) return undefined;
  const image = JSON.stringify(set.properties.virtualMachineProfile?.storageProfile?.imageReference ?? null);
  const key = [pool.id.toLowerCase(), image, securityTypeOf(set)].join(' ');
  const hardware = azure.knownHardware.get(key) ?? (await hardwareOf(call, set));
  if (!hardware) return poolOf(set, refOf(set), guessedHardware(set));
  azure.knownHardware.set(key, hardware);
  return poolOf(set, refOf(set), hardware);
}

/** Read from an instance's disk. Old disks have no architecture. */
async function hardwareOf(call: AzureCall, set: AzureScaleSet): Promise<HardwareFacts | undefined> {
  const diskId = (await instancesOfSet(call, set)).find((instance) => instance.osDisk)?.osDisk?.id;
  const disk = diskId ? parseDiskId(diskId) : undefined;
  if (!disk) return undefined;
  const found = await call.run(`disk ${disk.name}`, () =>
    call.compute(disk.subscriptionId).disks.get(disk.resourceGroup, disk.name),
  );
  const guessed = guessedHardware(set);
  return {
    generation: found.hyperVGeneration === 'V2' ? 'V2' : guessed.generation,
    architecture: found.supportedCapabilities?.architecture === 'Arm64' ? 'Arm64' : guessed.architecture,
  };
}

/** For a pool without a disk, which has no donor either. Secure boot and Arm require generation 2. */
export function guessedHardware(set: AzureScaleSet): HardwareFacts {
  // VM size names have feature letters in lower case after the number; `p` means an Arm processor.
  const isArm = /^Standard_[A-Z]+[\d-]+[a-z]*p[a-z]*(?:_|$)/.test(set.sku?.name ?? '');
  const isSecond = isArm || securityTypeOf(set) !== 'Standard';
  return { generation: isSecond ? 'V2' : 'V1', architecture: isArm ? 'Arm64' : 'x64' };
}

// vms/azure/disks.ts: what does a managed disk say about itself that an image of it must match?
import type { Disk } from '@azure/arm-compute';
import type { Model, OsDisk, VmGeneration } from '../pools.ts';
import { parseDiskId } from './arm-ids.ts';
import type { AzureCall } from './connect/connection.ts';
import { undefinedIfMissing } from './connect/reading.ts';

export interface DiskFacts {
  sizeGb: number | undefined;
  generation: VmGeneration | undefined;
  architecture: Model['architecture'] | undefined;
  securityType: Model['securityType'];
  /** The customer-managed key, as snapshots of the disk must have it; absent: the platform's key. */
  encryption?: { type: string; diskEncryptionSetId: string };
  isEncryptedInGuest: boolean;
  /** What the image of the disk supports, as a definition declares it. */
  imageFeatures: Readonly<Record<string, string>>;
}

/** Undefined when the disk does not exist. */
export async function readDisk(call: AzureCall, id: string): Promise<DiskFacts | undefined> {
  const disk = parseDiskId(id);
  if (!disk) return undefined;
  const found = await undefinedIfMissing(() =>
    call.run(`disk ${disk.name}`, () => call.compute(disk.subscriptionId).disks.get(disk.resourceGroup, disk.name)),
  );
  return found && diskFactsOf(found);
}

/** Read once: a run looks at its donor many times. */
export async function knownDisk(
  cache: Map<string, DiskFacts>,
  call: AzureCall,
  id: string,
): Promise<DiskFacts | undefined> {
  const key = id.toLowerCase();
  const known = cache.get(key) ?? (await readDisk(call, id));
  if (known) cache.set(key, known);
  return known;
}

export function diskFactsOf(disk: Disk): DiskFacts {
  const { hyperVGeneration: generation, supportedCapabilities: can, encryption } = disk;
  const setId = encryption?.diskEncryptionSetId;
  return {
    sizeGb: disk.diskSizeGB,
    generation: generation === 'V1' || generation === 'V2' ? generation : undefined,
    architecture: can?.architecture === 'Arm64' || can?.architecture === 'x64' ? can.architecture : undefined,
    securityType: securityTypeOf(disk),
    ...(setId && { encryption: { type: encryption.type ?? CUSTOMER_KEY, diskEncryptionSetId: setId } }),
    isEncryptedInGuest: disk.encryptionSettingsCollection?.enabled ?? false,
    imageFeatures: {
      ...(/nvme/i.test(can?.diskControllerTypes ?? '') && NVME_FEATURE),
      ...(can?.acceleratedNetwork && { IsAcceleratedNetworkSupported: 'True' }),
      ...(disk.supportsHibernation && { IsHibernateSupported: 'True' }),
    },
  };
}

const CUSTOMER_KEY = 'EncryptionAtRestWithCustomerKey';

/** An image that boots from NVMe also boots from SCSI; Azure knows no definition for NVMe alone. */
export const NVME_FEATURE = { DiskControllerTypes: 'SCSI, NVMe' } as const;

function securityTypeOf({ securityProfile }: Disk): Model['securityType'] {
  const type = securityProfile?.securityType ?? '';
  if (type.startsWith('ConfidentialVM')) return 'ConfidentialVM';
  return type === 'TrustedLaunch' ? type : 'Standard';
}

export function osDiskFacts(disk: DiskFacts): Omit<OsDisk, 'id' | 'sizeGb' | 'controller'> {
  const { generation, encryption, securityType, isEncryptedInGuest } = disk;
  return {
    ...(generation && { generation }),
    ...(encryption && { diskEncryptionSetId: encryption.diskEncryptionSetId }),
    securityType,
    isEncryptedInGuest,
  };
}

// vms/qemu/machine/metadata.ts: what does the metadata service tell an instance about itself? Pure; src/vms/qemu/metadata-service/instance-file.ts reads it.
import type { InstanceRecord, PoolRecord } from '../home/records.ts';

export const adminUser = 'headstart';
export const region = 'local';

/** As src/vms/qemu/metadata-service reads it. `src/vms` may not import it, so a test holds the two together. */
export interface InstanceMetadata {
  vmId: string;
  name: string;
  instanceId: string;
  pool: string;
  location: string;
  vmSize: string;
  subscriptionId: string;
  resourceGroupName: string;
  userData?: string;
  adminUsername: string;
  publicKeys: string[];
  tags: Readonly<Record<string, string>>;
  image: { id: string };
  privateIpAddress: string;
  macAddress: string;
  osDiskGb: number;
}

export function metadataOf(pool: PoolRecord, instance: InstanceRecord, publicKeys: string[]): InstanceMetadata {
  const userData = instance.userData ?? pool.spec.userData;
  return {
    vmId: instance.vmId,
    name: instance.id,
    instanceId: instance.id,
    pool: pool.spec.name,
    location: region,
    vmSize: `local-${instance.size.cpus}cpu-${instance.size.memoryMb}mb`,
    // There is no subscription; a guest that parses it wants a UUID.
    subscriptionId: '00000000-0000-0000-0000-000000000000',
    resourceGroupName: 'local',
    ...(userData !== undefined && { userData }),
    adminUsername: adminUser,
    publicKeys,
    tags: { ...pool.spec.tags, ...instance.tags },
    image: { id: instance.image.id },
    privateIpAddress: instance.address,
    macAddress: instance.mac,
    osDiskGb: instance.size.diskGb,
  };
}

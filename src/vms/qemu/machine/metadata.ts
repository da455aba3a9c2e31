// vms/qemu/machine/metadata.ts: which metadata does an instance get? Pure; metadata-service/instance-file.ts has the shape.
import type { InstanceRecord, PoolRecord } from '../home/records.ts';
import type { InstanceMetadata } from '../metadata-service/instance-file.ts';

export const adminUser = 'headstart';
export const region = 'local';

export function metadataOf(pool: PoolRecord, instance: InstanceRecord, publicKeys: string[]): InstanceMetadata {
  const userData = instance.userData ?? pool.spec.userData;
  return {
    vmId: instance.vmId,
    name: instance.id,
    instanceId: instance.id,
    pool: pool.spec.name,
    location: region,
    vmSize: `local-${instance.size.cpus}cpu-${instance.size.memoryMb}mb`,
    // There is no subscription, but guests that parse this field expect a UUID.
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

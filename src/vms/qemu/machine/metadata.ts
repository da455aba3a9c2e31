// vms/qemu/machine/metadata.ts: which metadata does an instance get? Pure; metadata-service/instance-file.ts has the shape.
import type { InstanceRecord, PoolRecord } from '../home/records.ts';
import type { InstanceMetadata } from '../metadata-service/instance-file.ts';

export const adminUser = 'headstart';
export const region = 'local';
/** A tag of a pool or an instance, `true` or `false`: whether the metadata says that the instance is in a standby pool. */
export const STANDBY_TAG = 'headstart-in-standby-pool';

export function metadataOf(pool: PoolRecord, instance: InstanceRecord, publicKeys: string[]): InstanceMetadata {
  const userData = instance.userData ?? pool.spec.userData;
  const tags = { ...pool.spec.tags, ...instance.tags };
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
    tags,
    ...(tags[STANDBY_TAG] !== undefined && { isVmInStandbyPool: tags[STANDBY_TAG] === 'true' }),
    image: { id: instance.image.id },
    privateIpAddress: instance.address,
    macAddress: instance.mac,
    osDiskGb: instance.size.diskGb,
  };
}

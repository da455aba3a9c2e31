// vms/qemu/pools/make-instance.ts: make an instance or its disks. The record is written last: without a record the instance does not exist.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallOptions } from '../../../base/call-options.ts';
import { UserError } from '../../../base/errors.ts';
import { withLock } from '../../../host/locks.ts';
import { visibleIn } from '../../../host/whole-folders.ts';
import type { InstanceRef } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import { allRecordsOf, publicKeysOf, writeInstanceRecord } from '../home/instance-records.ts';
import {
  homeLock,
  instanceFiles,
  instanceFolder,
  instanceId,
  poolRef,
  poolsFolder,
  versionFileNames,
  versionFolder,
  versionId,
} from '../home/layout.ts';
import type { InstanceRecord, PoolRecord } from '../home/records.ts';
import { resolveVersion } from '../home/version-records.ts';
import { fromGib, makeOverlay, toGib } from '../images/disks.ts';
import { freeAddress } from '../machine/addresses.ts';
import { adminUser } from '../machine/metadata.ts';
import { makeProvisioningDisk } from '../machine/provisioning-disk.ts';

/** Makes an instance from the current model and does not start it. `standby`: it is not in service. The caller must hold the pool's lock. */
export async function makeInstance(
  context: QemuContext,
  pool: PoolRecord,
  number: number,
  options: CallOptions & Pick<InstanceRecord, 'standby'>,
): Promise<InstanceRef> {
  const { home, clock } = context;
  const name = pool.spec.name;
  const ref: InstanceRef = { pool: poolRef(name), id: instanceId(name, number) };
  // Two pools may grow at once: the lock keeps the address free and the image from being deleted until the record is written.
  await withLock(context.home, { name: homeLock, why: `making ${ref.id}` }, options, async () => {
    const address = freeAddress(addressesIn(home));
    if (!address)
      throw new UserError('every address of the guest network is in use', { code: 'vms/no-address', exitCode: 1 });
    await mkdir(instanceFolder(home, ref), { mode: 0o700 });
    const record: InstanceRecord = {
      id: ref.id,
      vmId: context.newVmId(),
      ...fieldsFromModel(home, pool),
      wanted: 'running',
      protection: { fromScaleIn: false, fromPoolActions: false },
      tags: {},
      address: address.ip,
      mac: address.mac,
      isBlank: false,
      isNew: true,
      createdMs: clock.nowMs(),
      ...(options.standby && { standby: options.standby }),
    };
    await makeDisks(context, pool, record, options);
    writeInstanceRecord(home, pool, record);
  });
  return ref;
}

/** The fields that an instance copies from the model when it is made or reimaged. */
export function fieldsFromModel(
  home: string,
  pool: PoolRecord,
): Pick<InstanceRecord, 'image' | 'modelRevision' | 'size' | 'extensions'> {
  const { id, record } = resolveVersion(home, pool.spec.image);
  const { size, extensions } = pool.spec;
  return {
    image: { kind: 'version', id: versionId(id) },
    modelRevision: pool.modelRevision,
    size: { ...size, diskGb: Math.max(size.diskGb, toGib(record.diskBytes)) },
    extensions: extensions.map((extension) => ({ extension, state: 'waiting' })),
  };
}

/** Makes the overlay on the image version, and the provisioning disk. Replaces existing disks. */
export async function makeDisks(
  context: QemuContext,
  pool: PoolRecord,
  record: InstanceRecord,
  { signal }: CallOptions,
): Promise<void> {
  const { home, run } = context;
  const folder = instanceFolder(home, { pool: poolRef(pool.spec.name), id: record.id });
  const backing = join(versionFolder(home, resolveVersion(home, record.image).id), versionFileNames.disk);
  await makeOverlay(
    { run, signal },
    { file: join(folder, instanceFiles.disk), backing, bytes: fromGib(record.size.diskGb) },
  );
  const { customData } = pool.spec;
  await makeProvisioningDisk({ run, signal }, folder, {
    hostName: record.id,
    userName: adminUser,
    publicKeys: publicKeysOf(home, pool.spec.name),
    ...(customData !== undefined && { customData }),
  });
}

function addressesIn(home: string): string[] {
  return visibleIn(poolsFolder(home)).flatMap((pool) =>
    allRecordsOf(home, poolRef(pool)).map(({ address }) => address),
  );
}

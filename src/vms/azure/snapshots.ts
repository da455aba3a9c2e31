// vms/azure/snapshots.ts: read, make and delete snapshots of disks.
import type { Snapshot as AzureSnapshot } from '@azure/arm-compute';
import type { CallOptions } from '../../base/call-options.ts';
import type { Snapshot, SnapshotSpec } from '../snapshots.ts';
import type { Azure } from './azure.ts';
import { runOperation } from './connect/operations.ts';
import { undefinedIfMissing } from './connect/reading.ts';
import { readDisk } from './disks.ts';

export async function readSnapshot(azure: Azure, name: string, options?: CallOptions): Promise<Snapshot | undefined> {
  const call = await azure.open(options);
  const { subscriptionId, resourceGroup } = call.settings;
  const found = await undefinedIfMissing(() =>
    call.run(`snapshot ${name}`, () => call.compute(subscriptionId).snapshots.get(resourceGroup, name)),
  );
  return found && snapshotOf(found);
}

/** A full copy, not an incremental one, so that it does not depend on the disk. It holds a node's secrets, so it cannot be exported. */
export async function createSnapshot(azure: Azure, spec: SnapshotSpec, options?: CallOptions): Promise<void> {
  const call = await azure.open(options);
  const { subscriptionId, resourceGroup } = call.settings;
  // Azure encrypts a snapshot with the platform's key unless told otherwise, and refuses that for a disk with another key.
  const encryption = (await readDisk(call, spec.sourceDiskId))?.encryption;
  await runOperation(call, { verb: 'taking', thing: `snapshot ${spec.name}` }, () =>
    call.compute(subscriptionId).snapshots.createOrUpdate(resourceGroup, spec.name, {
      location: spec.region,
      tags: { ...spec.tags },
      creationData: { createOption: 'Copy', sourceResourceId: spec.sourceDiskId },
      incremental: false,
      ...(encryption && { encryption }),
      // The cheapest; without it, the default depends on the disk and on the region.
      sku: { name: 'Standard_LRS' },
      networkAccessPolicy: 'DenyAll',
      publicNetworkAccess: 'Disabled',
    }),
  );
}

export async function deleteSnapshot(azure: Azure, name: string, options?: CallOptions): Promise<void> {
  const call = await azure.open(options);
  const { subscriptionId, resourceGroup } = call.settings;
  await undefinedIfMissing(() =>
    runOperation(call, { verb: 'deleting', thing: `snapshot ${name}` }, () =>
      call.compute(subscriptionId).snapshots.delete(resourceGroup, name),
    ),
  );
}

/** `Succeeded` is not enough: Azure copies some disks in the background long after it. */
export function snapshotOf(found: AzureSnapshot): Snapshot {
  const isMade = found.provisioningState === 'Succeeded';
  // A cancelled snapshot never completes.
  const hasFailed = found.provisioningState === 'Failed' || found.provisioningState === 'Canceled';
  const percent = found.completionPercent ?? (isMade ? 100 : 0);
  return {
    name: found.name ?? '',
    id: found.id ?? '',
    state: hasFailed ? 'failed' : isMade && percent >= 100 ? 'complete' : 'creating',
    percent,
    sourceDiskId: found.creationData?.sourceResourceId ?? '',
    createdMs: found.timeCreated?.getTime() ?? 0,
    tags: found.tags ?? {},
  };
}

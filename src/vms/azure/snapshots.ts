// vms/azure/snapshots.ts: is there a copy of the donor's disk, and is every byte of it readable?
import type { Snapshot as AzureSnapshot } from '@azure/arm-compute';
import type { CallOptions } from '../../base/call-options.ts';
import type { Snapshot, SnapshotSpec } from '../snapshots.ts';
import type { Azure } from './azure.ts';
import { runOperation } from './connect/operations.ts';
import { undefinedIfMissing } from './connect/reading.ts';

export async function readSnapshot(azure: Azure, name: string, options?: CallOptions): Promise<Snapshot | undefined> {
  const call = await azure.open(options);
  const { subscriptionId, resourceGroup } = call.settings;
  const found = await undefinedIfMissing(() =>
    call.run(`snapshot ${name}`, () => call.compute(subscriptionId).snapshots.get(resourceGroup, name)),
  );
  return found && snapshotOf(found);
}

/** A full copy, not an incremental one: it stands alone once the disk changes again. */
export async function createSnapshot(azure: Azure, spec: SnapshotSpec, options?: CallOptions): Promise<void> {
  const call = await azure.open(options);
  const { subscriptionId, resourceGroup } = call.settings;
  await runOperation(call, { verb: 'taking', thing: `snapshot ${spec.name}` }, () =>
    call.compute(subscriptionId).snapshots.createOrUpdate(resourceGroup, spec.name, {
      location: spec.region,
      tags: { ...spec.tags },
      creationData: { createOption: 'Copy', sourceResourceId: spec.sourceDiskId },
      incremental: false,
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

/** Success of the order is not evidence: some disks are copied in the background long after it. */
export function snapshotOf(found: AzureSnapshot): Snapshot {
  const isMade = found.provisioningState === 'Succeeded';
  // Nobody goes on with one that was cancelled: whoever waits for it would wait for ever.
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

// vms/qemu/standby/preparation.ts: is an instance still the one that this command prepares? Its pool may have been deleted and made again
// meanwhile, with an instance of the same name.
import { UserError } from '../../../base/errors.ts';
import type { InstanceRef } from '../../pools.ts';
import { readInstanceRecord, type StandbyRecord } from '../home/instance-records.ts';

export interface Preparation {
  ref: InstanceRef;
  vmId: string;
  /** The hash of the document that it was made with; it may change until the instance is parked. */
  document: string;
}

export function findPreparing(home: string, { ref, vmId }: Preparation): StandbyRecord | undefined {
  const record = readInstanceRecord(home, ref);
  const { standby } = record ?? {};
  return record?.vmId === vmId && standby?.state === 'preparing' ? { ...record, standby } : undefined;
}

export function preparingRecordOf(home: string, preparing: Preparation): StandbyRecord {
  const record = findPreparing(home, preparing);
  if (record) return record;
  throw new UserError(`${preparing.ref.id} is not being prepared as a standby instance any more`, {
    code: 'vms/not-preparing',
    exitCode: 1,
  });
}

// vms/qemu/standby/document.ts: which user data does an instance have? Its hash tells whether a parked instance has the current one. Pure.
import { createHash } from 'node:crypto';
import type { InstanceRecord, PoolRecord } from '../home/records.ts';

export function documentOf(pool: PoolRecord, instance?: Pick<InstanceRecord, 'userData'>): string {
  const text = instance?.userData ?? pool.spec.userData ?? '';
  return createHash('sha256').update(text).digest('hex');
}

// vms/qemu/standby/needs-refill.ts: does a pool have fewer standby instances than it keeps, or some to replace?
import type { PoolRef } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import { readPoolRecord } from '../home/instance-records.ts';
import { judgeMembers } from './members.ts';
import { planRefill } from './plan-refill.ts';

export async function needsRefill(context: QemuContext, pool: PoolRef): Promise<boolean> {
  const { standby } = readPoolRecord(context.home, pool) ?? {};
  if (!standby) return false;
  const { discard, prepare, refresh } = planRefill(await judgeMembers(context, pool), standby.counts);
  return discard.length + prepare.length + refresh.length > 0;
}

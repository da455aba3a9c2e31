// vms/qemu/standby/take-into-service.ts: make a standby instance an instance of its pool, with one write.
import { Refused } from '../../../base/failures.ts';
import type { InstanceRef } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import { instanceRecordOf, poolRecordOf, writeInstanceRecord, writePoolRecord } from '../home/instance-records.ts';

/** Does not start it. If we are killed now, the next scaling command does. False: it is in service. The caller must hold the pool's lock. */
export function takeIntoService({ home, clock }: Pick<QemuContext, 'home' | 'clock'>, ref: InstanceRef): boolean {
  const { standby, ...record } = instanceRecordOf(home, ref);
  if (!standby) return false;
  if (standby.state === 'preparing') throw new Refused(`${ref.id} is still being prepared`, 'vms/still-preparing');
  const resume = { tier: standby.tier, phase: 'parked' as const };
  const pool = writePoolRecord(home, poolRecordOf(home, ref.pool));
  // Before its Node exists: this tells the Node of the claim from an earlier one of that name. kubelet may report, with the clock of its freeze,
  // before the clock is set.
  writeInstanceRecord(home, pool, { ...record, wanted: 'running', resume, startedMs: clock.nowMs() });
  return true;
}

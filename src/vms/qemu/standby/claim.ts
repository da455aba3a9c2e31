// vms/qemu/standby/claim.ts: take standby instances into service, the fastest tier first.
import type { CallOptions } from '../../../base/call-options.ts';
import type { InstanceRef, PoolRef } from '../../pools.ts';
import { STANDBY_TIERS } from '../../standby.ts';
import type { QemuContext } from '../context.ts';
import { poolRecordOf } from '../home/instance-records.ts';
import { type StartResult, startInstance } from '../pools/power.ts';
import { judgeMembers } from './members.ts';
import type { JudgedMember } from './plan-refill.ts';
import { takeIntoService } from './take-into-service.ts';

export interface ClaimedMembers {
  started: (StartResult & { ref: InstanceRef })[];
  /** Why fewer than requested; undefined if the pool keeps no standby instances. */
  whyNotMore?: string;
}

/** The caller must hold the pool's lock. */
export async function claimMembers(
  context: QemuContext,
  pool: PoolRef,
  count: number,
  options: CallOptions,
): Promise<ClaimedMembers> {
  const { home } = context;
  const members = await judgeMembers(context, pool);
  if (members.length === 0 && !poolRecordOf(home, pool).standby) return { started: [] };
  const chosen = chooseMembers(members, count);
  for (const { id } of chosen) takeIntoService(context, { pool, id });
  const ended = await Promise.allSettled(
    chosen.map(async ({ id }) => ({ ref: { pool, id }, ...(await startInstance(context, { pool, id }, options)) })),
  );
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  const started = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  return started.length < count ? { started, whyNotMore: whyNotMore(members) } : { started };
}

/** Fastest tier first, and in a tier those that need no change before the others. */
export function chooseMembers(members: readonly JudgedMember[], count: number): JudgedMember[] {
  const rank = ({ tier, verdict }: JudgedMember) => 2 * STANDBY_TIERS.indexOf(tier) + Number(verdict === 'refresh');
  return members
    .filter(({ verdict }) => verdict !== 'discard')
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, Math.max(0, count));
}

function whyNotMore(members: readonly JudgedMember[]): string {
  const unfit = members.filter(({ verdict }) => verdict === 'discard');
  if (unfit.length === 0) return 'every standby instance is taken';
  return `standby instances cannot be used: ${unfit.map(({ id, why }) => `${id}: ${why}`).join('; ')}`;
}

// vms/qemu/standby/claim.ts: take standby instances into service, the fastest tier first.
import type { CallOptions } from '../../../base/call-options.ts';
import type { InstanceRef, PoolRef } from '../../pools.ts';
import { STANDBY_TIERS } from '../../standby.ts';
import type { QemuContext } from '../context.ts';
import { poolRecordOf } from '../home/instance-records.ts';
import { type StartResult, startInstance } from '../pools/power.ts';
import { judgeMembers, type ReadMember } from './members.ts';
import type { JudgedMember } from './plan-refill.ts';
import { takeIntoService } from './take-into-service.ts';

export interface ClaimedMembers {
  started: (StartResult & { ref: InstanceRef })[];
  /** In service as well, but not started. */
  failed: PromiseRejectedResult[];
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
  if (members.length === 0 && !poolRecordOf(home, pool).standby) return { started: [], failed: [] };
  const chosen = chooseMembers(members, count);
  for (const { id } of chosen) takeIntoService(context, { pool, id });
  const ended = await Promise.allSettled(
    chosen.map(async ({ id }) => ({ ref: { pool, id }, ...(await startInstance(context, { pool, id }, options)) })),
  );
  options.signal?.throwIfAborted();
  const failed = ended.filter((one) => one.status === 'rejected');
  const started = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const slower = started.map((one) => ({ ...one, ...whySlower(one.from, one.why, members) }));
  return { started: slower, failed, ...(chosen.length < count && { whyNotMore: whyNotMore(members) }) };
}

/** Why an instance of this tier was used, and not one of a faster tier that could have been there. */
function whySlower(
  from: StartResult['from'],
  why: string | undefined,
  members: readonly ReadMember[],
): { why?: string } {
  if (why !== undefined) return { why };
  const faster = from === 'cold' ? [] : STANDBY_TIERS.slice(0, STANDBY_TIERS.indexOf(from));
  const unfit = members.filter(({ tier, verdict }) => faster.includes(tier) && verdict === 'discard');
  return unfit.length === 0 ? {} : { why: reasonsOf(unfit) };
}

/** Fastest tier first, and in a tier those that need no change before the others. */
export function chooseMembers(members: readonly JudgedMember[], count: number): JudgedMember[] {
  const rank = ({ tier, verdict }: JudgedMember) => 2 * STANDBY_TIERS.indexOf(tier) + Number(verdict === 'refresh');
  return members
    .filter(({ verdict }) => verdict !== 'discard')
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, Math.max(0, count));
}

function whyNotMore(members: readonly ReadMember[]): string {
  const unfit = members.filter(({ verdict }) => verdict === 'discard');
  if (unfit.length === 0) return 'every standby instance is taken';
  return reasonsOf(unfit);
}

/** Whether the command that prepares it still runs is not known here. */
function reasonsOf(unfit: readonly ReadMember[]): string {
  const whyOf = ({ state, why }: ReadMember) => (state === 'preparing' ? 'it is not parked yet' : why);
  return `standby instances cannot be used: ${unfit.map((one) => `${one.id}: ${whyOf(one)}`).join('; ')}`;
}

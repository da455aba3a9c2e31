// local/collect-claim.ts: the claim of a standby instance, with a reading of its guest's clocks that places it in the guest's boot.
import { UserError } from '../base/errors.ts';
import type { BundleMember, MissedItem } from '../boot/collect/collect-result.ts';
import type { ClaimReading } from '../boot/load/sources/platform/claim.ts';
import type { VmStart } from '../boot/load/sources/platform/vm-start.ts';
import type { Instance } from '../vms/pools.ts';
import type { QemuProvider } from '../vms/qemu/local-provider.ts';
import { claimStepMs, readClaim, type WrittenClaim } from '../vms/qemu/standby/claim-record.ts';

export interface CollectedClaim {
  /** The events of the node joining begin here. */
  claimedMs: number;
  members: BundleMember[];
  missed: MissedItem[];
}

export const CLAIM_MEMBER = 'headstart/claim.json';

/**
 * `start`: its clocks were just read, first the wall clock, then the uptime. Undefined for an instance that booted when it was started:
 * then it was never claimed, was stopped since, or booted when it was claimed, which is a boot like any other.
 */
export async function collectClaim(
  provider: QemuProvider,
  { ref }: Instance,
  { startedMs, clock, bootId }: VmStart,
  signal: AbortSignal,
): Promise<CollectedClaim | undefined> {
  const { folder } = await provider.guests.readDetails(ref);
  let record: WrittenClaim | undefined;
  try {
    record = readClaim(folder);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { claimedMs: startedMs, members: [], missed: [{ name: CLAIM_MEMBER, why: error.message }] };
  }
  // A claim marks the instance as started before its guest continues; a later start is not of this claim.
  if (!record || clock.uptimeMs === undefined || !(claimStepMs(record, 'thawed') >= startedMs)) return undefined;
  // The next reading begins when the uptime is known.
  const { hostBeforeMs: hostAfterMs } = await provider.guests.readClock(ref, { signal });
  const uptime = { uptimeMs: clock.uptimeMs, hostBeforeMs: clock.hostAfterMs, hostAfterMs };
  const reading: ClaimReading = { ...(bootId !== undefined && { bootId }), clock, uptime };
  const bytes = Buffer.from(`${JSON.stringify({ ...record, reading }, null, 2)}\n`);
  const claimedMs = claimStepMs(record, 'claimed');
  return {
    claimedMs: claimedMs < startedMs ? claimedMs : startedMs,
    members: [{ name: CLAIM_MEMBER, bytes }],
    missed: [],
  };
}

// local/collect-claim.ts: the claim of a standby instance, with a reading of its guest's clocks that places it in the guest's boot.
import { join } from 'node:path';
import { z } from 'zod';
import type { BundleMember } from '../boot/collect/collect-result.ts';
import type { ClaimReading } from '../boot/load/sources/platform/claim.ts';
import type { VmStart } from '../boot/load/sources/platform/vm-start.ts';
import type { Instance } from '../vms/pools.ts';
import { instanceFiles } from '../vms/qemu/home/layout.ts';
import { readHomeRecord } from '../vms/qemu/home/record-file.ts';
import type { QemuProvider } from '../vms/qemu/local-provider.ts';

export interface CollectedClaim {
  /** The events of the node joining begin here. */
  claimedMs: number;
  members: BundleMember[];
}

export const CLAIM_MEMBER = 'headstart/claim.json';

const claimSchema = z.looseObject({
  kind: z.literal('Claim'),
  steps: z.array(z.object({ name: z.string(), at: z.string() })),
});

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
  const record = readHomeRecord(join(folder, instanceFiles.claim), claimSchema);
  const atMs = (name: string) => Date.parse(record?.steps.find((step) => step.name === name)?.at ?? '');
  // A claim marks the instance as started before its guest continues; a later start is not of this claim.
  if (!record || clock.uptimeMs === undefined || !(atMs('thawed') >= startedMs)) return undefined;
  // The next reading begins when the uptime is known.
  const { hostBeforeMs: hostAfterMs } = await provider.guests.readClock(ref, { signal });
  const uptime = { uptimeMs: clock.uptimeMs, hostBeforeMs: clock.hostAfterMs, hostAfterMs };
  const reading: ClaimReading = { ...(bootId !== undefined && { bootId }), clock, uptime };
  const bytes = Buffer.from(`${JSON.stringify({ ...record, reading }, null, 2)}\n`);
  const claimedMs = atMs('claimed');
  return { claimedMs: claimedMs < startedMs ? claimedMs : startedMs, members: [{ name: CLAIM_MEMBER, bytes }] };
}

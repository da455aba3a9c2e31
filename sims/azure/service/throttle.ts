// sims/azure/service/throttle.ts: how many requests of this kind does this resource still accept?

import type { SimWorld } from '../world.ts';
import { ArmError } from './arm-error.ts';
import type { ArmCall } from './call.ts';
import { tooMany } from './faults.ts';

/** A bucket is full at `burst` and gains `perMinute`. */
export interface Policy {
  name: string;
  perMinute: number;
  burst: number;
  /** Each resource has its own bucket, or the subscription has one. */
  per: 'resource' | 'subscription';
}

const resource = (name: string, perMinute: number, burst: number): Policy => ({
  name,
  perMinute,
  burst,
  per: 'resource',
});
const per3Minutes = (name: string, burst: number): Policy => ({
  name,
  perMinute: burst / 3,
  burst,
  per: 'subscription',
});

/** Published limits per resource for compute; for disks and galleries the figures recorded from the service. */
export const POLICIES = {
  readScaleSet: resource('GetVMScaleSetResource', 12, 36),
  viewScaleSet: resource('HighCostGetVMScaleSetResource', 10, 30),
  writeScaleSet: resource('CreateVMScaleSetResource', 4, 12),
  actOnScaleSet: resource('VMScaleSetActionsResource', 4, 12),
  deleteScaleSet: resource('DeleteVMScaleSetResource', 4, 12),
  readInstance: resource('GetVMScaleSetVMResource', 12, 36),
  actOnInstance: resource('VMScaleSetVMActionsResource', 4, 12),
  stopInstance: resource('DeleteVMScaleSetVMResource', 4, 12),
  readVm: resource('GetVMResource', 12, 36),
  writeVm: resource('UpdateVMResource', 4, 12),
  stopVm: resource('DeleteVMResource', 4, 12),
  readSizes: per3Minutes('LowCostGetSizes3Min', 1_000),
  pollCompute: resource('GetOperationResource', 15, 45),
  pollDisk: per3Minutes('GetOperation3Min', 50_000),
  pollGallery: per3Minutes('GetOperationStatus3Min', 2_500),
  readDisk: per3Minutes('LowCostGet3Min', 15_000),
  writeDisk: per3Minutes('CreateUpdateDisks3Min', 1_000),
  writeSnapshot: per3Minutes('HighCostSnapshotCreateHydrate3Min', 1_000),
  deleteDisk: per3Minutes('HighCostDiskDelete3Min', 1_000),
  readGallery: per3Minutes('GetGallery3Min', 300),
  writeGallery: per3Minutes('CreateUpdateGallery3Min', 150),
  readVersion: per3Minutes('GetGalleryImageVersion3Min', 2_000),
  writeVersion: per3Minutes('CreateUpdateGalleryImageVersion3Min', 375),
  /** No figure was recorded: the resource manager's own limit is far higher than what a client needs. */
  readAuthorization: per3Minutes('ReadAuthorization3Min', 1_000),
  deleteVersion: per3Minutes('DeleteGalleryImageVersion3Min', 150),
  /** Recorded answers have no limit but the subscription's. */
  standbyPool: per3Minutes('StandbyPool3Min', 5_000),
} satisfies Record<string, Policy>;

export type PolicyName = keyof typeof POLICIES;

type Request = Pick<ArmCall, 'nowMs' | 'violate'>;

/** Takes one token and returns the header with the rest; throws 429 if the bucket is empty. */
export function takeToken(world: SimWorld, call: Request, name: PolicyName, path: string): string {
  const policy = POLICIES[name];
  const key = `${policy.name} ${policy.per === 'resource' ? path.toLowerCase() : ''}`;
  const left = take(world, call, key, policy);
  if ('waitS' in left) throw tooMany(left.waitS, policy.name);
  return `Microsoft.Compute/${policy.name};${left.tokens}`;
}

/** Documented: 25 reads a second after a burst of 250, 10 writes or deletions after 200. Recorded: the whole subscription has 15 times as many. */
const SUBSCRIPTION = {
  reads: { perMinute: 25 * 60, burst: 250 },
  writes: { perMinute: 10 * 60, burst: 200 },
  deletes: { perMinute: 10 * 60, burst: 200 },
};
const PRINCIPALS = 15;

/** The limits of Azure Resource Manager itself, for every kind of resource together. */
export function takeSubscriptionToken(world: SimWorld, call: Request, method: string): Record<string, string> {
  const kind = method === 'GET' ? 'reads' : method === 'DELETE' ? 'deletes' : 'writes';
  const { perMinute, burst } = SUBSCRIPTION[kind];
  const left = take(world, call, `subscription ${kind}`, { perMinute, burst });
  if ('waitS' in left) {
    throw new ArmError(
      429,
      'SubscriptionRequestsThrottled',
      `Number of ${kind} for subscription '${world.subscriptionId}' exceeded. Please try again after '${left.waitS}' seconds.`,
      { headers: { 'retry-after': String(left.waitS), [`x-ms-ratelimit-remaining-subscription-${kind}`]: '0' } },
    );
  }
  const used = burst - left.tokens;
  return {
    [`x-ms-ratelimit-remaining-subscription-${kind}`]: String(left.tokens),
    [`x-ms-ratelimit-remaining-subscription-global-${kind}`]: String(PRINCIPALS * burst - used),
  };
}

function take(
  world: SimWorld,
  call: Request,
  key: string,
  { perMinute, burst }: { perMinute: number; burst: number },
): { tokens: number } | { waitS: number } {
  const perMs = (perMinute * world.speed) / 60_000;
  const bucket = world.buckets[key] ?? { tokens: burst, atMs: call.nowMs, blockedUntilMs: 0 };
  world.buckets[key] = bucket;
  bucket.tokens = Math.min(burst, bucket.tokens + (call.nowMs - bucket.atMs) * perMs);
  bucket.atMs = call.nowMs;
  const isEarly = call.nowMs < bucket.blockedUntilMs;
  if (isEarly)
    call.violate(`asked again ${bucket.blockedUntilMs - call.nowMs} ms before the end of the wait after a 429`);
  if (isEarly || bucket.tokens < 1) {
    const missing = Math.max(1, 1 - bucket.tokens) + (isEarly ? 1 : 0);
    const seconds = Math.max(1, Math.ceil(missing / perMs / 1000));
    bucket.blockedUntilMs = Math.max(bucket.blockedUntilMs, call.nowMs + seconds * 1000);
    return { waitS: Math.ceil((bucket.blockedUntilMs - call.nowMs) / 1000) };
  }
  bucket.tokens -= 1;
  return { tokens: Math.floor(bucket.tokens) };
}

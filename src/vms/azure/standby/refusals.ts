// vms/azure/standby/refusals.ts: why can a scale set not keep these standby instances, and what should the user know? Pure; asked before anything is touched.
import { STANDBY_TIERS, type StandbyPolicy } from '../../standby.ts';
import { type AzureScaleSet, isFlexible } from '../scale-set.ts';
import { canHibernate } from './hibernation.ts';
import { sizeOf } from './properties.ts';
import type { AzureStandbyPool } from './schema.ts';

export interface StandbyRefusal {
  code: string;
  reason: string;
  next: string;
}

/** Documented: the instances of a scale set and of its standby pool together. */
export const MOST_IN_ALL = 1000;

export interface StandbyRequest {
  set: AzureScaleSet;
  policy: StandbyPolicy;
  /** The name that our pool of this set has. */
  name: string;
  /** The pool that is attached to the set, if there is one. */
  attached: AzureStandbyPool | undefined;
  /** The region of the standby pool; that of the set unless a person chose another one. */
  region: string;
}

/** All at once: who repairs one does not want to learn of the next by trying. */
export function refusalsOf({ set, policy, name, attached, region }: StandbyRequest): StandbyRefusal[] {
  return [
    ...ofSet(set, region),
    ...ofAttached(set, name, attached),
    ...ofCounts(policy),
    ...ofSize(set, policy),
    ...ofTiers(set, policy, attached),
    ...(policy.maxAgeMs === undefined
      ? []
      : [refusal('max-age', 'Azure does not replace standby VMs by their age', 'leave out --max-age')]),
  ];
}

/** Nothing that stops the run. */
export function notesOf({ set, policy }: Pick<StandbyRequest, 'set' | 'policy'>): string[] {
  const size = set.sku?.name ?? '';
  return policy.counts.frozen > 0 && canHibernate(size) === 'unknown'
    ? [`${size} is not in the list of sizes that can be hibernated (docs/azure.md): Azure may refuse it`]
    : [];
}

function ofSet(set: AzureScaleSet, region: string): StandbyRefusal[] {
  const refusals: StandbyRefusal[] = [];
  if (!isFlexible(set))
    refusals.push(
      refusal(
        'uniform',
        `scale set ${set.name} has Uniform orchestration; standby pools need a Flexible one`,
        'make a Flexible scale set with the same model; the mode of a set cannot be changed',
      ),
    );
  const domains = set.properties.platformFaultDomainCount ?? 1;
  if (isFlexible(set) && domains !== 1)
    refusals.push(
      refusal(
        'fault-domains',
        `scale set ${set.name} has ${domains} fault domains; standby pools need exactly 1`,
        'make a scale set with platformFaultDomainCount 1',
      ),
    );
  if (sameRegion(set.location) !== sameRegion(region))
    refusals.push(
      refusal(
        'region',
        `scale set ${set.name} is in ${set.location}, and the standby pool would be in ${region}`,
        `keep the standby pool in ${set.location}`,
      ),
    );
  return refusals;
}

function ofAttached(set: AzureScaleSet, name: string, attached: AzureStandbyPool | undefined): StandbyRefusal[] {
  if (!attached || attached.name.toLowerCase() === name.toLowerCase()) return [];
  return [
    refusal(
      'attached',
      `standby pool ${attached.name}, which headstart did not make, is attached to scale set ${set.name}; a set has at most one`,
      `delete it: az resource delete --ids ${attached.id}`,
    ),
  ];
}

/** Azure sees only their sum and their shares: one below 0 would lower the others. */
function ofCounts({ counts }: StandbyPolicy): StandbyRefusal[] {
  const wrong = STANDBY_TIERS.filter((tier) => !Number.isInteger(counts[tier]) || counts[tier] < 0);
  if (wrong.length === 0) return [];
  const given = wrong.map((tier) => `${tier} ${counts[tier]}`).join(', ');
  return [refusal('bad-counts', `expected whole numbers, 0 or more, got ${given}`, 'ask for 0 or more of each tier')];
}

function ofSize(set: AzureScaleSet, { counts }: StandbyPolicy): StandbyRefusal[] {
  const [size, instances] = [sizeOf(counts), set.sku?.capacity ?? 0];
  if (!(size + instances > MOST_IN_ALL)) return [];
  return [
    refusal(
      'too-many',
      `scale set ${set.name} has ${instances} instances; with ${size} in standby that is more than ${MOST_IN_ALL}`,
      `ask for at most ${Math.max(0, MOST_IN_ALL - instances)}`,
    ),
  ];
}

function ofTiers(
  set: AzureScaleSet,
  { counts }: StandbyPolicy,
  attached: AzureStandbyPool | undefined,
): StandbyRefusal[] {
  const refusals: StandbyRefusal[] = [];
  const isEphemeral = Boolean(set.properties.virtualMachineProfile?.storageProfile?.osDisk?.diffDiskSettings?.option);
  if (isEphemeral && counts.frozen + counts.stopped > 0)
    refusals.push(
      refusal(
        'ephemeral',
        `instances of ${set.name} have ephemeral OS disks, which cannot be deallocated or hibernated`,
        'keep paused instances only: --paused N',
      ),
    );
  if (counts.frozen === 0) return refusals;
  const size = set.sku?.name ?? '';
  if (set.properties.additionalCapabilities?.hibernationEnabled !== true)
    refusals.push(
      refusal(
        'no-hibernation',
        `the model of ${set.name} does not allow hibernation (additionalCapabilities.hibernationEnabled)`,
        'make a scale set that allows it; or keep stopped instances: --stopped N',
      ),
    );
  if (canHibernate(size) === 'no')
    refusals.push(
      refusal(
        'size',
        `VMs of size ${size} cannot be hibernated`,
        'use a D or E size of version 5 with at most 64 GB; or keep stopped instances: --stopped N',
      ),
    );
  // Documented: only through Running.
  if (attached?.properties.virtualMachineState === 'Deallocated' && counts.paused + counts.stopped === 0)
    refusals.push(
      refusal(
        'through-running',
        `standby pool ${attached.name} keeps deallocated VMs, which become hibernated only through running`,
        `headstart standby up ${set.name} --vms azure --paused ${counts.frozen} --frozen 0 --stopped 0, then this command again`,
      ),
    );
  return refusals;
}

function refusal(code: string, reason: string, next: string): StandbyRefusal {
  return { code: `standby/${code}`, reason, next };
}

/** "West Europe" and "westeurope" are the same. */
function sameRegion(name: string): string {
  return name.toLowerCase().replaceAll(' ', '');
}

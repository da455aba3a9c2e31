// boot/questions/compare/claim-starts.ts: what do the times of claimed standby instances and of booted ones count from, when they are compared?
import { milestonesOf } from '../../model/milestones.ts';
import type { BootRecord } from '../../model/record.ts';
import { originUs } from '../../model/total.ts';

export interface ClaimStarts {
  startUs(record: BootRecord): number;
  from: { before: string; after: string };
}

/**
 * Undefined without a claim. A claim includes the start of the VM's process, so a boot counts from there too if all its boots know when
 * that was.
 */
export function startsWithClaims(before: readonly BootRecord[], after: readonly BootRecord[]): ClaimStarts | undefined {
  const all = [...before, ...after];
  if (!all.some(isClaim)) return undefined;
  const booted = all.filter((record) => !isClaim(record));
  const isCreationKnown = booted.every((record) => createdUs(record) !== undefined);
  return {
    startUs: (record) => (isClaim(record) || !isCreationKnown ? originUs(record) : createdUs(record)!),
    from: { before: nameOf(before, isCreationKnown), after: nameOf(after, isCreationKnown) },
  };
}

function isClaim({ clock }: BootRecord): boolean {
  return clock.zero === 'claim';
}

function createdUs(record: BootRecord): number | undefined {
  return milestonesOf(record).find(({ name }) => name === 'vm-created')?.atUs;
}

const ZEROS: Readonly<Record<string, string>> = {
  kernel: 'kernel start',
  userspace: 'userspace start',
  'first-event': 'the first event',
};

function nameOf(side: readonly BootRecord[], isCreationKnown: boolean): string {
  const names = side.map(({ clock, claim }) => {
    if (clock.zero === 'claim') return claim ? `the claim (${claim.tier})` : 'the claim';
    return isCreationKnown ? 'the start of the VM' : ZEROS[clock.zero]!;
  });
  return [...new Set(names)].sort().join(' or ');
}

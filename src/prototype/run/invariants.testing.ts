// prototype/run/invariants.testing.ts: what must be true after any run, whatever faults occurred?

import { AUTOSCALER_ANNOTATION, DONOR_TAG } from '../names.ts';
import type { Lab } from '../testing.ts';
import { readPrior } from './prior.ts';

export interface DonorState {
  isUnschedulable: boolean;
  guard: string | undefined;
  protection: string;
}

export function readDonorState({ cluster, donor }: Lab): DonorState {
  const node = cluster.nodes.get(donor.computerName)!;
  return {
    isUnschedulable: node.isUnschedulable,
    guard: node.annotations[AUTOSCALER_ANNOTATION],
    protection: JSON.stringify(donor.protection),
  };
}

/** 1: the donor is in service, in its previous state. */
export function donorViolations(lab: Lab, found: DonorState): string[] {
  const { donor, cluster } = lab;
  const node = cluster.nodes.get(donor.computerName)!;
  const violations: string[] = [];
  if (donor.power !== 'running') violations.push(`the donor is ${donor.power}`);
  if (donor.tags[DONOR_TAG] !== undefined) violations.push('the donor is still tagged');
  if (readPrior(node)) violations.push('the node still has the annotation of a run');
  const now = readDonorState(lab);
  if (JSON.stringify(now) !== JSON.stringify(found)) {
    violations.push(`the donor was ${JSON.stringify(found)} before the run and is ${JSON.stringify(now)} now`);
  }
  return violations;
}

/** 2 and 3: at every moment, even right after a crash. */
export function modelViolations({ provider, clock }: Lab): string[] {
  const violations: string[] = [];
  for (const pool of provider.state.pools.values()) {
    const { image, bootstrap, extensions } = pool.model;
    const isNew = image.kind === 'version';
    const hasScripts = extensions.some((extension) => extension.type === 'CustomScript');
    if (isNew && (bootstrap !== 'none' || hasScripts)) violations.push('new image with the old bootstrap');
    if (!isNew && (bootstrap === 'none' || !hasScripts)) violations.push('old image without its bootstrap');
    const referred = [image, ...pool.instances.map((instance) => instance.image)];
    for (const ref of referred) {
      if (ref?.kind !== 'version') continue;
      const version = provider.state.versions.get(ref.id);
      if (!version) violations.push(`${ref.id} is in use but deleted`);
      else if (clock.nowMs() - version.createdMs < 120_000)
        violations.push(`${ref.id} is in use before it is replicated`);
      else if (!version.isSealed) violations.push(`${ref.id} was made from a disk that was not sealed`);
    }
  }
  return violations;
}

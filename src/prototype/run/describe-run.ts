// prototype/run/describe-run.ts: what would a run do with this donor, and why would it refuse? Reads only.
import type { Clock } from '../../base/clock.ts';
import type { DonorTerms } from '../donor/approve-donor.ts';
import { assessDonor, type InspectDeps, reasonNotToInspect } from '../donor/assess-donor.ts';
import { type DonorVerdict, donorRefusals } from '../donor/donor-verdict.ts';
import type { FoundDonor } from '../donor/find-donor.ts';
import type { Site } from '../site.ts';
import { limitNotes } from './limits.ts';
import { type FieldChange, modelDiff } from './model-diff.ts';
import { observeWorld } from './observe.ts';
import { type PlannedStep, planSteps } from './plan.ts';
import { type Refusal, refusals } from './preflight.ts';
import { type Intent, type Scene, targetVersionName } from './scene.ts';

export interface RunDescription {
  node: string;
  /** Why the donor was chosen; absent if the operator named it. */
  because?: string;
  pool: string;
  version: string;
  steps: PlannedStep[];
  model: FieldChange[];
  inspection: { isDone: true; verdict: DonorVerdict } | { isDone: false; because: string };
  against: Refusal[];
  /** What does not prevent the run, but is good to know before it. */
  notes: string[];
}

export interface DescriptionRequest {
  intent: Intent;
  terms: DonorTerms;
  /** Whether a script may run on the donor. */
  isInspecting: boolean;
}

export async function describeRun(
  site: Site,
  donor: FoundDonor,
  { intent, terms, isInspecting }: DescriptionRequest,
  deps: InspectDeps & { clock: Clock },
): Promise<RunDescription> {
  const { provider, cluster } = site;
  const world = await observeWorld(intent, donor.ref, { ...provider, cluster, clock: deps.clock, signal: deps.signal });
  const scene: Scene = { world, intent, run: { id: 'plan', isAborting: false } };
  const access = await provider.checkAccess?.(donor.ref.pool, site.gallery, { signal: deps.signal });
  const inspection = isInspecting
    ? await inspect(site, donor, terms, deps)
    : { isDone: false as const, because: '--inspect was not given' };
  const ofDonor = inspection.isDone
    ? [
        ...donor.refusals.filter(({ code }) => code !== 'prototype/unpatched'),
        ...donorRefusals(inspection.verdict, terms),
      ]
    : donor.refusals; // an inspection also finds what the cluster knows about patches
  return {
    node: donor.name,
    ...(donor.because !== undefined && { because: donor.because }),
    pool: world.pool.ref.name,
    version: targetVersionName(scene),
    steps: planSteps(scene),
    model: modelDiff(scene),
    inspection,
    against: [...(access?.refusals ?? []), ...refusals(scene), ...ofDonor],
    notes: [...(access?.notes ?? []), ...limitNotes(scene)],
  };
}

async function inspect(
  site: Site,
  donor: FoundDonor,
  { readBootstrap, readProtectedSettings, provenMs }: DonorTerms,
  deps: InspectDeps,
): Promise<RunDescription['inspection']> {
  const { node } = donor;
  if (!node) return { isDone: false, because: 'its Node object is gone' };
  const because = reasonNotToInspect(node);
  if (because !== undefined) return { isDone: false, because };
  const hasGivenBootstrap = readBootstrap !== undefined;
  const givenSettings = readProtectedSettings?.() ?? {};
  const { verdict } = await assessDonor(site, { ...donor, node, hasGivenBootstrap, givenSettings, provenMs }, deps);
  return { isDone: true, verdict };
}

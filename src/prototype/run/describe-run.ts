// prototype/run/describe-run.ts: what would a run do with this donor, and why would it refuse? Reads only.
import type { Clock } from '../../base/clock.ts';
import type { DonorTerms } from '../donor/approve-donor.ts';
import { assessDonor, type InspectDeps, reasonNotToInspect } from '../donor/assess-donor.ts';
import { type DonorVerdict, donorRefusals } from '../donor/donor-verdict.ts';
import type { FoundDonor } from '../donor/find-donor.ts';
import type { Site } from '../site.ts';
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
  const inspection = isInspecting
    ? await inspect(site, donor, terms, deps)
    : { isDone: false as const, because: '--inspect was not given' };
  return {
    node: donor.node.name,
    ...(donor.because !== undefined && { because: donor.because }),
    pool: world.pool.ref.name,
    version: targetVersionName(scene),
    steps: planSteps(scene),
    model: modelDiff(scene),
    inspection,
    against: [...refusals(scene), ...(inspection.isDone ? donorRefusals(inspection.verdict, terms) : [])],
  };
}

async function inspect(
  site: Site,
  donor: FoundDonor,
  { readBootstrap, readProtectedSettings }: DonorTerms,
  deps: InspectDeps,
): Promise<RunDescription['inspection']> {
  const because = reasonNotToInspect(donor.node);
  if (because !== undefined) return { isDone: false, because };
  const hasGivenBootstrap = readBootstrap !== undefined;
  const givenSettings = readProtectedSettings?.() ?? {};
  const { verdict } = await assessDonor(site, { ...donor, hasGivenBootstrap, givenSettings }, deps);
  return { isDone: true, verdict };
}

// prototype/donor/approve-donor.ts: is the donor good enough, and is there a way back? Both are settled before anything is touched.
import { UserError } from '../../base/errors.ts';
import type { Site } from '../site.ts';
import { assessDonor, type InspectDeps, reasonNotToInspect } from './assess-donor.ts';
import { donorRefusals, joinWarning } from './donor-verdict.ts';
import type { FoundDonor } from './find-donor.ts';

/** What the operator accepts of a donor, and gives for the way back. */
export interface DonorTerms {
  mayBeUnpatched: boolean;
  mayLoseBootstrap: boolean;
  /** The pool's original bootstrap, base64; called only when it is needed. */
  readBootstrap?: () => string;
}

export interface ApproveDeps extends InspectDeps {
  /** Something to know about a donor that is good enough. */
  onWarning(warning: string): void;
}

export interface ApprovedDonor {
  /** base64; absent when a recipe is saved already, none is needed, or the operator gives up the way back. */
  customData?: string;
}

/** Throws every reason against the donor at once. */
export async function approveDonor(
  site: Site,
  donor: FoundDonor,
  terms: DonorTerms,
  deps: ApproveDeps,
): Promise<ApprovedDonor> {
  if (reasonNotToInspect(donor.node)) return {}; // a donor to bring home, or to refuse, comes before every other question
  const hasGivenBootstrap = terms.readBootstrap !== undefined;
  const { verdict, bootstrap } = await assessDonor(site, { ...donor, hasGivenBootstrap }, deps);
  const [first, ...others] = donorRefusals(verdict, terms);
  if (first) {
    throw new UserError([first, ...others].map(({ reason }) => reason).join('; '), {
      code: first.code,
      next: first.next,
      kept: 'Nothing was changed.',
      exitCode: 1,
    });
  }
  const warning = verdict.joining && joinWarning(verdict.joining, deps.clock.nowMs());
  if (warning !== undefined) deps.onWarning(warning);
  if (terms.readBootstrap) return { customData: terms.readBootstrap() };
  if (verdict.wayBack.kind === 'never any') return { customData: '' };
  return verdict.wayBack.kind === 'found' && bootstrap ? { customData: bootstrap.reveal() } : {};
}

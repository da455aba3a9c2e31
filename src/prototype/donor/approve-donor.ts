// prototype/donor/approve-donor.ts: is the donor good enough, and can the pool be rolled back? Checked before anything changes.
import { UserError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import type { ProtectedSettings } from '../../vms/publisher.ts';
import type { Refusal } from '../run/preflight.ts';
import type { Site } from '../site.ts';
import { assessDonor, type InspectDeps, reasonNotToInspect } from './assess-donor.ts';
import { type DonorVerdict, donorRefusals, joinWarning } from './donor-verdict.ts';
import type { FoundDonor } from './find-donor.ts';

/** What the operator accepts in a donor, and the bootstrap for a rollback. */
export interface DonorTerms {
  mayBeUnpatched: boolean;
  mayLoseBootstrap: boolean;
  /** How long a donor has been Ready, and has run with its newest packages; default: an hour. */
  provenMs?: number;
  /** The pool's original bootstrap in base64; called only if it is needed. */
  readBootstrap?: () => string;
  /** Protected settings of its extensions, likewise. */
  readProtectedSettings?: () => ProtectedSettings;
}

export interface ApproveDeps extends InspectDeps {
  /** Called for an approved donor that still has a problem worth knowing. */
  onWarning(warning: string): void;
}

export interface ApprovedDonor {
  /** In base64; absent if a model is already saved, no bootstrap is needed, or the operator accepts the loss. */
  customData?: string;
  /** Of the extensions that leave the model, as far as known. */
  protectedSettings?: ProtectedSettings;
}

/** Throws all reasons against the donor at once. */
export async function approveDonor(
  site: Site,
  donor: FoundDonor,
  terms: DonorTerms,
  deps: ApproveDeps,
): Promise<ApprovedDonor> {
  refuse(donor.refusals); // before a pod runs on a node under pressure
  for (const note of donor.notes) deps.onWarning(note);
  const { node } = donor;
  if (!node || reasonNotToInspect(node)) return {}; // the engine first restores or refuses such a donor
  const hasGivenBootstrap = terms.readBootstrap !== undefined;
  const givenSettings = terms.readProtectedSettings?.() ?? {};
  const { verdict, bootstrap, protectedSettings } = await assessDonor(
    site,
    { ...donor, node, hasGivenBootstrap, givenSettings, provenMs: terms.provenMs },
    deps,
  );
  refuse(donorRefusals(verdict, terms));
  if (verdict.patches.state === 'unknown')
    deps.onWarning(`it is not known whether ${verdict.node} is patched: ${verdict.patches.unknown.join('; ')}`);
  const warning = verdict.joining && joinWarning(verdict.joining, deps.clock.nowMs());
  if (warning !== undefined) deps.onWarning(warning);
  if (verdict.lostCommands.length > 0)
    deps.onWarning(
      `the saved model of ${verdict.pool} lacks the protected settings of ${verdict.lostCommands.join(', ')}: a rollback to the original needs --protected-settings FILE`,
    );
  const secrets = Object.keys(protectedSettings).length > 0 ? { protectedSettings } : {};
  const customData = customDataFor(verdict, terms, bootstrap);
  return { ...secrets, ...(customData !== undefined && { customData }) };
}

function customDataFor({ wayBack }: DonorVerdict, terms: DonorTerms, found: Secret | undefined): string | undefined {
  if (terms.readBootstrap) return terms.readBootstrap();
  if (wayBack.kind === 'never any') return '';
  return wayBack.kind === 'found' ? found?.reveal() : undefined;
}

function refuse([first, ...others]: readonly Refusal[]): void {
  if (!first) return;
  throw new UserError([first, ...others].map(({ reason }) => reason).join('; '), {
    code: first.code,
    next: first.next,
    kept: 'Nothing was changed.',
    exitCode: 1,
  });
}

// image/update/select-updates.ts: which proposals hold together? One after the other they are put into the manifest's text, comments kept; one that breaks it or a rule is left out, with the reason.

import type { ImageLock } from '../lock/lock.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { renderManifestProblem } from '../manifest/manifest-problem.ts';
import { parseManifest } from '../manifest/read-manifest.ts';
import { checkRules } from '../manifest/rules/check.ts';
import { editText } from './edit-text.ts';
import type { Proposal } from './plan-update.ts';

export interface UpdateSelection {
  taken: readonly Proposal[];
  refused: readonly { proposal: Proposal; why: string }[];
  text: string;
  manifest: Manifest;
}

/** `text` is that of `manifest`. */
export async function selectUpdates(
  text: string,
  manifest: Manifest,
  proposals: readonly Proposal[],
  lock: ImageLock | undefined,
): Promise<UpdateSelection> {
  // Kubernetes first: what goes by its version is right only with it.
  const inOrder = proposals.toSorted((a, b) => Number(b.kind === 'kubernetes') - Number(a.kind === 'kubernetes'));
  let packages = packagesOf(lock);
  let now = { text, manifest };
  const taken: Proposal[] = [];
  const refused: UpdateSelection['refused'][number][] = [];
  for (const proposal of inOrder) {
    const after = packagesOf(packages, proposal);
    const edited = await editText(now.text, proposal.edits);
    const parsed = await parseManifest(edited);
    const why =
      'problems' in parsed
        ? renderManifestProblem(parsed.problems[0]!)
        : newError(now.manifest, packages, parsed.manifest, after);
    if (why === undefined && 'manifest' in parsed) {
      now = { text: edited, manifest: parsed.manifest };
      packages = after;
      taken.push(proposal);
    } else refused.push({ proposal, why: why ?? '' });
  }
  return { taken, refused, ...now };
}

/** Of a lock only what the manifest does not say: versions of packages, with the proposed one in its place. */
function packagesOf(lock: ImageLock | undefined, proposal?: Proposal): ImageLock | undefined {
  if (!lock) return undefined;
  const artifacts = lock.artifacts
    .filter(({ kind }) => kind === 'deb')
    .map((artifact) =>
      proposal?.kind === 'deb' && artifact.component === proposal.component
        ? { ...artifact, version: proposal.to }
        : artifact,
    );
  return { ...lock, artifacts };
}

/** What was wrong before is not the proposal's fault. */
function newError(
  before: Manifest,
  beforeLock: ImageLock | undefined,
  after: Manifest,
  afterLock: ImageLock | undefined,
): string | undefined {
  const errors = (manifest: Manifest, lock: ImageLock | undefined) =>
    checkRules(manifest, lock)
      .filter(({ severity }) => severity === 'error')
      .map(
        ({ component, message, rule, kubernetes }) => `${component} (Kubernetes ${kubernetes}): ${message} [${rule}]`,
      );
  const known = new Set(errors(before, beforeLock));
  return errors(after, afterLock).find((error) => !known.has(error));
}

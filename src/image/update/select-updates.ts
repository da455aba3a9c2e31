// image/update/select-updates.ts: which proposals work together? Applies them to the manifest one by one, and skips those that break the manifest or a rule.

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

/** `text` is the text of `manifest`. */
export async function selectUpdates(
  text: string,
  manifest: Manifest,
  proposals: readonly Proposal[],
  lock: ImageLock | undefined,
): Promise<UpdateSelection> {
  // Kubernetes first: components that follow its version are valid only together with it.
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

/** Keeps only the packages of the lock, whose versions the manifest may leave open, and applies the proposed version. */
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

/** Ignores errors that existed before the proposal. */
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

// .ci/release/judge-release.ts: may this tree be released, and as what? Pure; release.ts reads git and the files.
import { entryOf } from './changelog.ts';

export interface ReleaseFacts {
  /** From package.json, the one place where the version is written by hand. */
  version: string;
  /** Other files that repeat it. */
  copies: readonly { file: string; version: string | undefined }[];
  /** Undefined: HEAD is detached. */
  branch: string | undefined;
  /** Changed and untracked files. */
  dirty: readonly string[];
  tags: readonly string[];
  changelog: string;
}

export interface Refusal {
  /** `release/what`. Never renamed. */
  code: string;
  message: string;
  next: string;
}

export type ReleaseVerdict =
  | { isReady: false; refusals: Refusal[] }
  | { isReady: true; tag: string /** For the tag and the release page. */; notes: string };

export const MAIN = 'main';
const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-rc\.(\d+))?$/;
const DATE = /^ - \d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const MOST_FILES = 5;

export const tagOf = (version: string) => `v${version}`;

/** Every reason at once. */
export function judgeRelease(facts: ReleaseFacts): ReleaseVerdict {
  const { version, branch, dirty } = facts;
  const refusals: Refusal[] = [];
  const refuse = (code: string, message: string, next: string) =>
    refusals.push({ code: `release/${code}`, message, next });

  if (!VERSION.test(version))
    refuse(
      'bad-version',
      `package.json has the version ${JSON.stringify(version)}, expected one such as 1.2.0 or 1.2.0-rc.1`,
      'npm version --no-git-tag-version VERSION',
    );
  for (const copy of facts.copies)
    if (copy.version !== version)
      refuse(
        'other-version',
        `${copy.file} has the version ${copy.version ?? '(none)'}, package.json has ${version}`,
        `write ${version} into ${copy.file} and commit it`,
      );
  if (branch !== MAIN)
    refuse(
      'not-on-main',
      `HEAD is ${branch === undefined ? 'detached' : `on ${branch}`}, not on main`,
      'git switch main',
    );
  if (dirty.length > 0) refuse('dirty-tree', `the tree has changes: ${fewFiles(dirty)}`, 'commit or remove them');
  for (const refusal of [...refusedByTags(facts), ...refusedByChangelog(facts)]) refusals.push(refusal);
  if (refusals.length > 0) return { isReady: false, refusals };
  return { isReady: true, tag: tagOf(version), notes: entryOf(facts.changelog, version)!.text };
}

function refusedByTags({ version, tags }: ReleaseFacts): Refusal[] {
  const next = 'raise the version: npm version --no-git-tag-version VERSION, then move the changes in CHANGELOG.md';
  if (tags.includes(tagOf(version)))
    return [{ code: 'release/tag-exists', message: `the tag ${tagOf(version)} already exists`, next }];
  const newer = tags.filter((tag) => VERSION.test(tag.slice(1)) && isNewer(tag.slice(1), version));
  if (newer.length === 0) return [];
  return [{ code: 'release/not-newest', message: `${version} is older than the released ${newer.join(', ')}`, next }];
}

function refusedByChangelog({ version, changelog }: ReleaseFacts): Refusal[] {
  const refusals: Refusal[] = [];
  const entry = entryOf(changelog, version);
  const heading = `## ${version} - YYYY-MM-DD`;
  if (!entry || entry.text === '')
    refusals.push({
      code: 'release/no-changelog-entry',
      message: `CHANGELOG.md has ${entry ? 'an empty' : 'no'} entry for ${version}`,
      next: `add "${heading}" with its changes to CHANGELOG.md and commit it`,
    });
  else if (!DATE.test(entry.rest))
    refusals.push({
      code: 'release/undated-changelog-entry',
      message: `the entry of CHANGELOG.md for ${version} has no date: "## ${version}${entry.rest}"`,
      next: `write it as "${heading}" and commit it`,
    });
  if ((entryOf(changelog, 'Unreleased')?.text ?? '') !== '')
    refusals.push({
      code: 'release/unreleased-changes',
      message: 'CHANGELOG.md has changes under "## Unreleased"',
      next: `move them below "${heading}" and commit it`,
    });
  return refusals;
}

/** A release candidate is older than its version. */
function isNewer(one: string, other: string): boolean {
  const [a, b] = [one, other].map((version) => {
    const [, major, minor, patch, candidate = 'Infinity'] = VERSION.exec(version) ?? [];
    return [major, minor, patch, candidate].map(Number);
  });
  for (const [index, part] of a!.entries()) if (part !== b![index]) return part > b![index]!;
  return false;
}

function fewFiles(files: readonly string[]): string {
  const more = files.length - MOST_FILES;
  return more > 0 ? `${files.slice(0, MOST_FILES).join(', ')} and ${more} more` : files.join(', ');
}

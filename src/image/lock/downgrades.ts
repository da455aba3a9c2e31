// image/lock/downgrades.ts: does a new lock go behind the one that is there? A mirror that is out of date gives older packages without a word.
import { UserError } from '../../base/errors.ts';
import { compareComponentVersions } from '../manifest/compare-versions.ts';
import { diffLocks } from '../update/diff.ts';
import type { ImageLock } from './lock.ts';

/** In words; none: nothing is older than before. */
export function downgradesOf(before: ImageLock, after: ImageLock): string[] {
  const [from, to] = [before.base, after.base];
  const isOlder = from.origin === to.origin && compareComponentVersions('binary', to.date, from.date) < 0;
  return [
    ...(isOlder ? [`the package lists are those of ${to.date}, the lock has those of ${from.date}`] : []),
    ...diffLocks(before, after)
      .changes.filter(({ change }) => change === 'down')
      .map(
        ({ component, kubernetes, from: was, to: is }) =>
          `${component}${kubernetes === undefined ? '' : ` of Kubernetes ${kubernetes}`} would go from ${was?.version} down to ${is?.version}`,
      ),
  ];
}

/** Throws unless that was asked for. */
export function refuseDowngrades(
  before: ImageLock | undefined,
  after: ImageLock,
  { file, isAllowed }: { file: string; isAllowed: boolean },
): void {
  const problems = before && !isAllowed ? downgradesOf(before, after) : [];
  if (problems.length === 0) return;
  throw new UserError(`${file} would go back:\n${problems.map((problem) => `         ${problem}`).join('\n')}`, {
    code: 'image/downgrade',
    kept: 'The lock is as it was.',
    next: 'see whether the mirror is up to date; if that is meant, run the same command with --allow-downgrade',
    exitCode: 1,
  });
}

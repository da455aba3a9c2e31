// image/lock/downgrades.ts: would a new lock downgrade anything? A stale mirror silently offers older packages.
import { UserError } from '../../base/errors.ts';
import { compareComponentVersions } from '../manifest/compare-versions.ts';
import { diffLocks } from '../update/diff.ts';
import type { ImageLock } from './lock.ts';

/** One sentence per downgrade. */
export function downgradesOf(before: ImageLock, after: ImageLock): string[] {
  const [from, to] = [before.base, after.base];
  const isOlder = from.origin === to.origin && compareComponentVersions('binary', to.date, from.date) < 0;
  return [
    ...(isOlder ? [`the package lists are from ${to.date}, older than those of the current lock, ${from.date}`] : []),
    ...diffLocks(before, after)
      .changes.filter(({ change }) => change === 'down')
      .map(
        ({ component, kubernetes, from: was, to: is }) =>
          `${component}${kubernetes === undefined ? '' : ` of Kubernetes ${kubernetes}`} would be downgraded from ${was?.version} to ${is?.version}`,
      ),
  ];
}

export function refuseDowngrades(
  before: ImageLock | undefined,
  after: ImageLock,
  { file, isAllowed }: { file: string; isAllowed: boolean },
): void {
  const problems = before && !isAllowed ? downgradesOf(before, after) : [];
  if (problems.length === 0) return;
  throw new UserError(
    `the new lock is older than ${file}:\n${problems.map((problem) => `         ${problem}`).join('\n')}`,
    {
      code: 'image/downgrade',
      kept: 'The lock is unchanged.',
      next: 'check whether the mirror is up to date; if you want the downgrade, run the same command with --allow-downgrade',
      exitCode: 1,
    },
  );
}

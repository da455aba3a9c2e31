// cluster/local/upgrade.ts: may a cluster of one version of Kubernetes be run by the programs of another? Pure.
import { UserError } from '../../base/errors.ts';

/** A newer patch, or one minor version up; never back, as what is stored may be of a kind that older programs cannot read. */
export function checkUpgrade(name: string, from: string, to: string): void {
  if (from === to) return;
  const [old, wanted] = [numbersOf(from), numbersOf(to)];
  const isBack = wanted.minor < old.minor || (wanted.minor === old.minor && wanted.patch < old.patch);
  if (!isBack && wanted.minor - old.minor <= 1) return;
  const why = isBack ? 'a cluster does not go back' : 'a cluster goes up one minor version at a time';
  throw new UserError(`cluster ${name} is of Kubernetes ${from}, and cannot become ${to}: ${why}`, {
    code: 'cluster/other-version',
    kept: 'It was not changed.',
    next: isBack
      ? `take another --name, or delete it first: headstart cluster down --name ${name} --delete`
      : `go to a v1.${old.minor + 1} first, or take another --name`,
  });
}

function numbersOf(version: string): { minor: number; patch: number } {
  const [, minor, patch] = /^v1\.(\d+)\.(\d+)$/.exec(version) ?? [];
  return { minor: Number(minor), patch: Number(patch) };
}

// cluster/local/upgrade.ts: may a cluster be upgraded from one Kubernetes version to another? Pure.
import { UserError } from '../../base/errors.ts';

/** A newer patch or the next minor version; never a downgrade, because older programs may not be able to read the data. */
export function checkUpgrade(name: string, from: string, to: string): void {
  if (from === to) return;
  const [old, wanted] = [numbersOf(from), numbersOf(to)];
  const isBack = wanted.minor < old.minor || (wanted.minor === old.minor && wanted.patch < old.patch);
  if (!isBack && wanted.minor - old.minor <= 1) return;
  const why = isBack ? 'a cluster cannot be downgraded' : 'a cluster cannot skip a minor version';
  throw new UserError(`cluster ${name} runs Kubernetes ${from} and cannot change to ${to}: ${why}`, {
    code: 'cluster/other-version',
    kept: 'The cluster was not changed.',
    next: isBack
      ? `use another --name, or delete it first: headstart cluster down --name ${name} --delete`
      : `upgrade to v1.${old.minor + 1} first, or use another --name`,
  });
}

function numbersOf(version: string): { minor: number; patch: number } {
  const [, minor, patch] = /^v1\.(\d+)\.(\d+)$/.exec(version) ?? [];
  return { minor: Number(minor), patch: Number(patch) };
}

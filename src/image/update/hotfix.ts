// image/update/hotfix.ts: may this change go out as a hotfix? Same base, a higher patch, only what was named, and nothing goes back silently. Pure.

import type { ImageLock } from '../lock/lock.ts';
import { diffLocks, type LockChange, type LockDiff } from './diff.ts';

export interface HotfixAllowance {
  /** Components that may change; everything else may not. */
  names: readonly string[];
  /** Of those, the ones that may go back to an older version. */
  downgrades: readonly string[];
}

export interface Hotfix {
  /** `to` as a hotfix of `from`: its base, one patch higher. Only of use where there are no problems. */
  lock: ImageLock;
  diff: LockDiff;
  /** All of them at once; empty: it may go out. */
  problems: string[];
}

/** `to` is what somebody resolved; its own patch number does not count. */
export function deriveHotfix(from: ImageLock, to: ImageLock, allowed: HotfixAllowance): Hotfix {
  const lock: ImageLock = { ...to, base: { ...to.base, patch: from.base.patch + 1 } };
  return { lock, diff: diffLocks(from, lock), problems: hotfixProblems(from, lock, allowed) };
}

/** Of `to`, only what was named; all else stays as it is in `from`. */
export function pickHotfix(from: ImageLock, to: ImageLock, allowed: HotfixAllowance): Hotfix {
  const isNamed = ({ component }: { component: string }) => namesOf(allowed).has(component);
  const picked: ImageLock = {
    ...from,
    manifestSha256: to.manifestSha256,
    artifacts: inOrder([...from.artifacts.filter((one) => !isNamed(one)), ...to.artifacts.filter(isNamed)]),
    files: [...from.files.filter((one) => !isNamed(one)), ...to.files.filter(isNamed)].sort((a, b) =>
      a.component < b.component ? -1 : 1,
    ),
  };
  return deriveHotfix(from, picked, allowed);
}

export function hotfixProblems(from: ImageLock, to: ImageLock, allowed: HotfixAllowance): string[] {
  const { facts, kubernetes, changes } = diffLocks(from, to);
  const names = namesOf(allowed);
  return [
    ...facts.map(({ what, from: before, to: after }) => `${what} differs: ${before}, now ${after}`),
    ...(to.base.patch > from.base.patch
      ? []
      : [`the patch number has to be higher than ${from.base.patch}, and is ${to.base.patch}`]),
    ...kubernetes.added.map((version) => `Kubernetes ${version} is new`),
    ...kubernetes.removed.map((version) => `Kubernetes ${version} is gone`),
    ...changes.flatMap((change) => problemsOf(change, names, allowed.downgrades)),
    ...(changes.length === 0 ? ['nothing in the image is different'] : []),
    ...[...names]
      .filter((name) => !changes.some(({ component }) => component === name))
      .map((name) => `${name} may change, and does not: is that the name?`),
  ];
}

function problemsOf(change: LockChange, names: ReadonlySet<string>, downgrades: readonly string[]): string[] {
  const { component, change: kind } = change;
  const what = `${component}${change.kubernetes === undefined ? '' : ` of Kubernetes ${change.kubernetes}`}`;
  return [
    ...(names.has(component) ? [] : [`${what} ${said(change)}, and is not allowed to (--allow ${component})`]),
    ...(kind === 'down' && !downgrades.includes(component)
      ? [`${what} ${said(change)}, which is a downgrade (--allow-downgrade ${component})`]
      : []),
  ];
}

function said({ change, from, to }: LockChange): string {
  switch (change) {
    case 'added':
      return `is new (${to?.version})`;
    case 'removed':
      return `is gone (${from?.version})`;
    case 'same-version':
      return 'has other content';
    case 'up':
    case 'down':
      return `goes from ${from?.version} to ${to?.version}`;
  }
}

/** Whoever may go back may change. */
function namesOf({ names, downgrades }: HotfixAllowance): Set<string> {
  return new Set([...names, ...downgrades]);
}

/** As a lock has them. */
function inOrder(artifacts: ImageLock['artifacts']): ImageLock['artifacts'] {
  const key = ({ kind, component, kubernetes }: ImageLock['artifacts'][number]) => [kind, component, kubernetes ?? ''];
  return artifacts.toSorted((a, b) => {
    const [left, right] = [key(a), key(b)];
    const at = left.findIndex((part, i) => part !== right[i]);
    return at < 0 ? 0 : left[at]! < right[at]! ? -1 : 1;
  });
}

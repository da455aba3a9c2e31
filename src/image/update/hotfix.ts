// image/update/hotfix.ts: may this change be released as a hotfix? It needs the same base and a higher patch, and may change only the named components. Pure.

import type { ImageLock } from '../lock/lock.ts';
import { diffLocks, type LockChange, type LockDiff } from './diff.ts';

export interface HotfixAllowance {
  /** Only these components may change. */
  names: readonly string[];
  /** Components that may change to an older version. */
  downgrades: readonly string[];
}

export interface Hotfix {
  /** `to` as a hotfix of `from`, with the next patch number. Only usable if there are no problems. */
  lock: ImageLock;
  diff: LockDiff;
  /** All problems; empty if the hotfix is allowed. */
  problems: string[];
}

/** Ignores the patch number of `to`. */
export function deriveHotfix(from: ImageLock, to: ImageLock, allowed: HotfixAllowance): Hotfix {
  const lock: ImageLock = { ...to, base: { ...to.base, patch: from.base.patch + 1 } };
  return { lock, diff: diffLocks(from, lock), problems: hotfixProblems(from, lock, allowed) };
}

/** Takes the named components from `to` and everything else from `from`. */
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
      : [`the patch number must be higher than ${from.base.patch}, got ${to.base.patch}`]),
    ...kubernetes.added.map((version) => `Kubernetes ${version} is new`),
    ...kubernetes.removed.map((version) => `Kubernetes ${version} was removed`),
    ...changes.flatMap((change) => problemsOf(change, names, allowed.downgrades)),
    ...(changes.length === 0 ? ['the image has no changes'] : []),
    ...[...names]
      .filter((name) => !changes.some(({ component }) => component === name))
      .map((name) => `${name} is allowed to change but does not: check the name`),
  ];
}

function problemsOf(change: LockChange, names: ReadonlySet<string>, downgrades: readonly string[]): string[] {
  const { component, change: kind } = change;
  const what = `${component}${change.kubernetes === undefined ? '' : ` of Kubernetes ${change.kubernetes}`}`;
  return [
    ...(names.has(component) ? [] : [`${what} ${describe(change)}, which is not allowed (--allow ${component})`]),
    ...(kind === 'down' && !downgrades.includes(component)
      ? [`${what} ${describe(change)}, which is a downgrade (--allow-downgrade ${component})`]
      : []),
  ];
}

function describe({ change, from, to }: LockChange): string {
  switch (change) {
    case 'added':
      return `is new (${to?.version})`;
    case 'removed':
      return `was removed (${from?.version})`;
    case 'same-version':
      return 'has different content';
    case 'up':
    case 'down':
      return `changes from ${from?.version} to ${to?.version}`;
  }
}

/** A component that may be downgraded may also change. */
function namesOf({ names, downgrades }: HotfixAllowance): Set<string> {
  return new Set([...names, ...downgrades]);
}

/** The order that locks use. */
function inOrder(artifacts: ImageLock['artifacts']): ImageLock['artifacts'] {
  const key = ({ kind, component, kubernetes }: ImageLock['artifacts'][number]) => [kind, component, kubernetes ?? ''];
  return artifacts.toSorted((a, b) => {
    const [left, right] = [key(a), key(b)];
    const at = left.findIndex((part, i) => part !== right[i]);
    return at < 0 ? 0 : left[at]! < right[at]! ? -1 : 1;
  });
}

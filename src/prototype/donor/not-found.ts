// prototype/donor/not-found.ts: errors for an unknown node or pool: which names exist, and which one was probably meant?
import { UserError } from '../../base/errors.ts';
import { fewNames, nearestNames } from '../../base/nearest-names.ts';

export function noNode(wanted: string, known: readonly string[], hasCluster: boolean): UserError {
  const names = [...known].sort();
  const meant = nearestNodes(wanted, names);
  const another = hasCluster ? 'name another cluster with --kubeconfig and --context' : 'name another pool with --pool';
  return new UserError(`there is no node ${wanted}; known: ${fewNames(names)}${question(meant)}`, {
    code: 'prototype/no-node',
    next: names.length === 0 ? another : `${instead('--node', meant)}, or ${another}`,
    exitCode: 1,
  });
}

export interface KnownPools {
  pools: readonly string[];
  hasCluster: boolean;
  /** The pools are on this machine, where the user can create one. */
  isLocal: boolean;
}

export function noPool(wanted: string, { pools, hasCluster, isLocal }: KnownPools): UserError {
  const names = [...pools].sort();
  const meant = nearestNames(wanted, names);
  const what = hasCluster && !isLocal ? 'no node of this cluster belongs to a pool' : 'there is no pool';
  return new UserError(`${what} called ${wanted}; known: ${fewNames(names)}${question(meant)}`, {
    code: 'prototype/no-pool',
    next: nextOf(),
    exitCode: 1,
  });

  function nextOf(): string {
    if (names.length > 0) return instead('--pool', meant);
    if (isLocal) return `headstart pool create ${wanted}`;
    return 'name another cluster with --kubeconfig and --context; a pool without a cluster takes --no-cluster --pool NAME';
  }
}

/** A bare number means the instance whose name ends with it. */
function nearestNodes(wanted: string, names: readonly string[]): string[] {
  if (!/^\d+$/.test(wanted)) return nearestNames(wanted, names);
  return names.filter((name) => Number(/\d+$/.exec(name)?.[0] ?? Number.NaN) === Number(wanted)).slice(0, 3);
}

function instead(flag: string, [first]: readonly string[]): string {
  return first === undefined ? `name one of those with ${flag}` : `give ${flag} ${first}`;
}

function question(meant: readonly string[]): string {
  return meant.length === 0 ? '' : ` (did you mean ${meant.join(' or ')}?)`;
}

// node/plan/plan.ts: what has to change on this node, how disruptive is it, and in which order is it applied? Pure: a plan is data;
// apply/ executes its steps and nothing else.

import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import { contentText } from '../desired/bytes.ts';
import { configProblems, effectiveConfig } from '../desired/kubelet-config.ts';
import type { Bytes, DesiredState, ObservedState, OwnedFile, Ownership, Plan, PlannedChange } from '../desired/tree.ts';
import type { Problem } from '../document/problem.ts';
import { highest, rank } from './disruption.ts';
import { planFiles, wantedFiles } from './files.ts';
import { planFolders } from './folders.ts';
import { type ClassifiedLeaf, kubeletLeaves } from './leaves.ts';
import { planLive } from './live.ts';
import { orderSteps } from './steps.ts';
import { unitOutlook } from './units.ts';

export function plan(observed: ObservedState, desired: DesiredState, ownership: Ownership): Plan {
  const wanted = wantedFiles(desired, observed);
  const kubelet = planKubelet(wanted, observed, ownership);
  const files = planFiles(wanted, observed, ownership, kubelet.leavesOf);
  const folders = planFolders(pathsAfter(wanted, ownership), observed, ownership);
  const units = unitOutlook(wanted, observed, ownership);
  const live = planLive(desired, observed, ownership, units);

  const changes = [...files.changes, ...live.changes].map(({ change }) => change).sort(byRankThenName);
  const problems = [...desired.problems, ...files.problems, ...live.problems, ...kubelet.problems];
  const level = highest(changes.map((change) => change.class));
  const rest = { changes, class: level, problems, kubeletConfig: kubelet.config };
  // All or nothing: part of the plan would leave the node between two documents.
  if (level === 7 || problems.length > 0) return { ...rest, steps: [], ownership, ownershipMeanwhile: ownership };

  const done = changes.filter((change) => change.class !== 'C');
  const stale = staleState(
    files.changes.flatMap((file) => file.stale),
    desired,
    observed,
  );
  const work = {
    files: files.changes,
    folders,
    live: live.changes,
    units,
    stale,
    class: highest(done.map((one) => one.class)),
  };
  const after = { files: files.owned, folders: folders.owned, live: live.owned };
  return {
    ...rest,
    steps: orderSteps(work, observed),
    ownership: after,
    ownershipMeanwhile: {
      files: new Map([...ownership.files, ...after.files]),
      folders: new Set([...ownership.folders, ...after.folders]),
      live: new Map([...ownership.live, ...after.live]),
    },
  };
}

/** Most disruptive first. */
function byRankThenName(a: PlannedChange, b: PlannedChange): number {
  return rank(b.class) - rank(a.class) || (a.what < b.what ? -1 : 1);
}

/** Our files, and files of the image that are restored. */
function pathsAfter(wanted: ReadonlyMap<string, OwnedFile>, ownership: Ownership): string[] {
  const restored = [...ownership.files].filter(
    ([path, { original }]) => !wanted.has(path) && original.kind !== 'absent',
  );
  return [...wanted.keys(), ...restored.map(([path]) => path)];
}

function staleState(names: readonly string[], { kubeletRoot }: DesiredState, { kubelet }: ObservedState): string[] {
  const paths = names.map((name) => `${kubeletRoot}/${name}`);
  return [...new Set(paths)].filter((path) => kubelet.state.has(path)).sort();
}

interface KubeletPlan {
  config: JsonObject;
  leavesOf: (before: Bytes | undefined, after: Bytes | undefined) => ClassifiedLeaf[];
  problems: Problem[];
}

/** kubelet merges all its files, so only the merged result shows what changes: a value that another file overrides does not. */
function planKubelet(
  wanted: ReadonlyMap<string, OwnedFile>,
  observed: ObservedState,
  ownership: Ownership,
): KubeletPlan {
  const { base, dropIns } = observed.kubelet;
  const after = new Map(dropIns);
  for (const [path, { notation, original }] of ownership.files) {
    if (notation !== 'kubelet-config') continue;
    after.delete(path);
    if (original.kind === 'file') after.set(path, jsonIn(original));
  }
  for (const file of wanted.values()) if (file.notation === 'kubelet-config') after.set(file.path, jsonIn(file));
  const config = effectiveConfig(base, after);
  const leaves = kubeletLeaves(effectiveConfig(base, dropIns), config);
  // A plan is printed, and this is the only field that may contain a credential.
  const { staticPodURLHeader: _, ...shown } = config;
  return {
    config: shown,
    leavesOf: (from, to) => {
      const keys = new Set([from, to].flatMap((file) => Object.keys(file ? jsonIn(file) : {})));
      return leaves.filter((leaf) => keys.has(leaf.path.split('.')[0]!));
    },
    problems: configProblems(config).map(({ key, message }) => ({
      reason: 'config/invalid',
      path: `spec.kubelet.config.${key}`,
      message,
    })),
  };
}

/** headstart writes JSON. A file that something else put there may not be JSON; then it counts as empty. */
function jsonIn(file: Bytes): JsonObject {
  try {
    const value: Json = JSON.parse(contentText(file) ?? '');
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

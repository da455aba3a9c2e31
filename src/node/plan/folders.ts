// node/plan/folders.ts: which folders must be created for our files, and which of those we created are no longer needed?
import { dirname } from 'node:path';
import type { ObservedState, Ownership, PlanStep } from '../desired/tree.ts';

export interface FolderPlan {
  /** Outer before inner. */
  make: PlanStep[];
  /** Inner before outer. */
  remove: PlanStep[];
  owned: Set<string>;
}

/** `files` are all files after the plan. */
export function planFolders(files: Iterable<string>, observed: ObservedState, ownership: Ownership): FolderPlan {
  const needed = new Set([...files].flatMap(foldersAbove));
  const missing = [...needed].filter((path) => !observed.folders.has(path));
  const unused = [...ownership.folders].filter((path) => !needed.has(path) && observed.folders.has(path));
  return {
    make: missing.sort().map((path) => ({ do: 'make-folder', path })),
    remove: unused
      .sort()
      .reverse()
      .map((path) => ({ do: 'remove-folder', path })),
    owned: new Set([...ownership.folders, ...missing].filter((path) => needed.has(path)).sort()),
  };
}

/** `/etc/a/b` → `/etc`, `/etc/a`. */
export function foldersAbove(path: string): string[] {
  const parent = dirname(path);
  return parent === '/' ? [] : [...foldersAbove(parent), parent];
}

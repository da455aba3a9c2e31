// .ci/campaign-record.ts: what of a part has passed on this state of the tree, and what is left to run?

export interface PartRecord {
  /** The commit, with a hash of what was changed since. */
  tree: string;
  /** All of it passed, for the seeds below where it has seeds. */
  isPassed: boolean;
  seeds: number[];
}

export interface Left {
  /** Empty for a part without seeds. */
  seeds: number[];
  isDone: boolean;
}

/** Without a record of this tree, all of it. A part whose seeds passed, but not all of its tests, is run again with all of them. */
export function leftToRun(record: PartRecord | undefined, tree: string, wanted: readonly number[]): Left {
  if (record?.tree !== tree) return { seeds: [...wanted], isDone: false };
  const seeds = wanted.filter((seed) => !record.seeds.includes(seed));
  if (seeds.length === 0 && record.isPassed) return { seeds: [], isDone: true };
  return { seeds: seeds.length > 0 ? seeds : [...wanted], isDone: false };
}

/** After a run of these seeds: `passed` of them, and everything else that the part tests or not. */
export function recordAfter(
  record: PartRecord | undefined,
  { tree, passed, isPassed }: { tree: string; passed: readonly number[]; isPassed: boolean },
): PartRecord {
  const before = record?.tree === tree ? record.seeds : [];
  return { tree, isPassed, seeds: [...new Set([...before, ...passed])].sort((a, b) => a - b) };
}

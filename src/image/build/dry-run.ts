// image/build/dry-run.ts: which stages would a build run? Lists them in the order of the pipeline for `--dry-run`.
import type { ImageTarget } from './contract.ts';
import { PER_VERSION, SHARED } from './pipeline.ts';
import { onePerKey } from './run-stages.ts';
import type { Places } from './stage.ts';

export interface PlannedStage {
  id: string;
  /** Includes the amount, if known. */
  title: string;
  /** Empty for stages that all images share. */
  kubernetes: string;
  /** A result of an earlier build exists. Its bytes are verified when they are used. */
  isThere: boolean;
}

export interface BuildPlanRequest {
  targets: readonly ImageTarget[];
  isOffline: boolean;
  /** Undefined if a tool is missing: without tool versions, no earlier result can be matched. */
  places: Places | undefined;
}

export async function planBuild({ targets, isOffline, places }: BuildPlanRequest): Promise<PlannedStage[]> {
  const planned: PlannedStage[] = [];
  for (const stage of SHARED) {
    const wanted = targets.filter((target) => stage.isNeeded({ target, isOffline }));
    const once = places ? await onePerKey(stage, wanted, places.tools) : wanted.slice(0, 1);
    for (const target of once) {
      const isThere = places !== undefined && (await stage.isAvailable(target, places));
      planned.push({ id: stage.id, title: `${stage.title}${stage.amount?.(targets) ?? ''}`, kubernetes: '', isThere });
    }
  }
  for (const target of targets) {
    // All stages of an image share one answer: the image folder appears when all of them are done.
    const isThere = places !== undefined && (await PER_VERSION[0]!.isAvailable(target, places));
    planned.push(...PER_VERSION.map(({ id, title }) => ({ id, title, kubernetes: target.kubernetes, isThere })));
  }
  return planned;
}

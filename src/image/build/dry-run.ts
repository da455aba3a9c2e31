// image/build/dry-run.ts: which stages would a build make? The dry run prints them: the same list that a build walks.
import type { ImageTarget } from './contract.ts';
import { PER_VERSION, SHARED } from './pipeline.ts';
import { onePerKey } from './run-stages.ts';
import type { Places } from './stage.ts';

export interface PlannedStage {
  id: string;
  /** With how much it is, where that is known. */
  title: string;
  /** Empty for what all images share. */
  kubernetes: string;
  /** It was made before. Its bytes are verified when it is used. */
  isThere: boolean;
}

export interface BuildPlanRequest {
  targets: readonly ImageTarget[];
  isOffline: boolean;
  /** None where a tool is missing: without its version, nothing is known to be there. */
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
    // One answer for all of them: an image is there when all of its stages are.
    const isThere = places !== undefined && (await PER_VERSION[0]!.isAvailable(target, places));
    planned.push(...PER_VERSION.map(({ id, title }) => ({ id, title, kubernetes: target.kubernetes, isThere })));
  }
  return planned;
}

// image/build/run-stages.ts: how are stages walked? In order; each gets what those before it made, and what it says is told as said by it.
import type { Waiting } from '../../base/call-options.ts';
import type { ImageBuildDeps, ImageTarget, StageOutputs } from './contract.ts';
import type { Places, SharedContext, SharedStage, VersionContext, VersionStage } from './stage.ts';
import type { ToolVersions } from './tool-versions.ts';

/** A line of the table of times. */
export interface FinishedStage {
  id: string;
  /** Empty for what all images share. */
  kubernetes: string;
  /** The stage or a part of it, in words. */
  stage: string;
}

export interface BuildReporter {
  onWaiting?: Waiting | undefined;
  /** The stages of an image begin: its times count from here. */
  onBegin?: ((kubernetes: string) => void) | undefined;
  onDone?: ((done: FinishedStage) => void) | undefined;
}

type WithoutReporting<Context> = Omit<Context, 'onWaiting' | 'onDone'>;
export type SharedRunContext = WithoutReporting<Omit<SharedContext, 'target'>>;

/** Each stage once for every key. What is there is not made again. */
export async function runSharedStages(
  stages: readonly SharedStage[],
  shared: SharedRunContext,
  places: Places,
  reporter: BuildReporter,
): Promise<Partial<StageOutputs>> {
  const made: Partial<StageOutputs> = {};
  for (const stage of stages) {
    for (const target of await onePerKey(stage, shared.targets, places.tools)) {
      if (!stage.isNeeded({ ...shared, target })) continue;
      const context: SharedContext = { ...shared, target, ...reportingOf(stage, '', reporter) };
      const found = (await stage.isAvailable(target, places)) ? await openExisting(stage, context) : undefined;
      Object.assign(made, found ?? (await stage.make(context, asComplete(made))));
      const words = found ? stage.verified : stage.done;
      if (words !== undefined) context.onDone?.(words);
    }
  }
  return made;
}

const openExisting = async (stage: SharedStage, context: SharedContext) => (stage.open ? stage.open(context) : {});

/** The stages of one image, one after the other. */
export async function runVersionStages(
  stages: readonly VersionStage[],
  version: WithoutReporting<VersionContext>,
  before: Partial<StageOutputs>,
  reporter: BuildReporter,
): Promise<StageOutputs> {
  const made: Partial<StageOutputs> = { ...before };
  for (const stage of stages) {
    const context: VersionContext = { ...version, ...reportingOf(stage, version.target.kubernetes, reporter) };
    Object.assign(made, await stage.make(context, asComplete(made)));
    if (stage.done !== undefined) context.onDone?.(stage.done);
  }
  return asComplete(made);
}

/** Versions of a lock mostly share a key. The first one of each. */
export async function onePerKey(
  { key }: Pick<SharedStage, 'key'>,
  targets: readonly ImageTarget[],
  tools: ToolVersions,
): Promise<ImageTarget[]> {
  const first = new Map<string, ImageTarget>();
  for (const target of targets) {
    const its = await key(target, tools);
    if (!first.has(its)) first.set(its, target);
  }
  return [...first.values()];
}

/** For one stage of one image, or of what they share. */
function reportingOf(
  { id }: Pick<SharedStage, 'id'>,
  kubernetes: string,
  reporter: BuildReporter,
): Pick<ImageBuildDeps, 'onWaiting' | 'onDone'> {
  return {
    onWaiting: waitingOf(kubernetes, reporter),
    onDone: (stage) => reporter.onDone?.({ id, kubernetes, stage }),
  };
}

/** Several images wait at the same time: which one it is follows in brackets. */
export function waitingOf(kubernetes: string, { onWaiting }: BuildReporter): Waiting {
  return (what, percent) => onWaiting?.(kubernetes === '' ? what : `${what} (${kubernetes})`, percent);
}

/** A stage reads only what it says it needs, and pipeline.test.ts sees to it that an earlier one makes that. */
const asComplete = (made: Partial<StageOutputs>) => made as StageOutputs;

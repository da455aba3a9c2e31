// image/build/run-stages.ts: how are stages run? In order; each gets the outputs of earlier stages, and its progress is reported under its id.
import type { Waiting } from '../../base/call-options.ts';
import type { ImageBuildDeps, ImageTarget, StageOutputs } from './contract.ts';
import type { Places, SharedContext, SharedStage, VersionContext, VersionStage } from './stage.ts';
import type { ToolVersions } from './tool-versions.ts';

/** A row of the table of times. */
export interface FinishedStage {
  id: string;
  /** Empty for stages that all images share. */
  kubernetes: string;
  /** The stage or a part of it, as text for the table. */
  stage: string;
}

export interface BuildReporter {
  onWaiting?: Waiting | undefined;
  /** The stages of an image start; its times count from here. */
  onBegin?: ((kubernetes: string) => void) | undefined;
  onDone?: ((done: FinishedStage) => void) | undefined;
}

type WithoutReporting<Context> = Omit<Context, 'onWaiting' | 'onDone'>;
export type SharedRunContext = WithoutReporting<Omit<SharedContext, 'target'>>;

/** Runs each stage once per key. Reuses results that exist. */
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

/** The first target of each key; most versions of a lock share a key. */
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

/** For one stage of one image, or for a shared stage. */
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

/** Several images are built at the same time, so the version is added in brackets. */
export function waitingOf(kubernetes: string, { onWaiting }: BuildReporter): Waiting {
  return (what, percent) => onWaiting?.(kubernetes === '' ? what : `${what} (${kubernetes})`, percent);
}

/** A stage reads only the outputs that it declares; pipeline.test.ts checks that earlier stages provide them. */
const asComplete = (made: Partial<StageOutputs>) => made as StageOutputs;

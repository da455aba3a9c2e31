// image/build/walk.ts: how are stages walked? In order; each gets what those before it made, and what it says is told as said by it.
import type { WaitReporter } from '../../base/call-options.ts';
import type { BuildDeps, Made, Target } from './contract.ts';
import type { Places, SharedContext, SharedStage, VersionContext, VersionStage } from './stage.ts';
import type { ToolVersions } from './tool-versions.ts';

/** A line of the table of times. */
export interface StageDone {
  id: string;
  /** Empty for what all images share. */
  kubernetes: string;
  /** The stage or a part of it, in words. */
  stage: string;
}

export interface BuildTeller {
  onWaiting?: WaitReporter | undefined;
  /** The stages of an image begin: its times count from here. */
  onBegin?: ((kubernetes: string) => void) | undefined;
  onDone?: ((done: StageDone) => void) | undefined;
}

type Untold<Context> = Omit<Context, 'onWaiting' | 'onDone'>;
export type WalkShared = Untold<Omit<SharedContext, 'target'>>;

/** Each stage once for every key. What is there is not made again. */
export async function walkShared(
  stages: readonly SharedStage[],
  shared: WalkShared,
  places: Places,
  tell: BuildTeller,
): Promise<Partial<Made>> {
  const made: Partial<Made> = {};
  for (const stage of stages) {
    for (const target of await onePerKey(stage, shared.targets, places.tools)) {
      if (!stage.isNeeded({ ...shared, target })) continue;
      const context: SharedContext = { ...shared, target, ...tellingOf(stage, '', tell) };
      const found = (await stage.isThere(target, places)) ? await takeFound(stage, context) : undefined;
      Object.assign(made, found ?? (await stage.make(context, allOf(made))));
      const words = found ? stage.verified : stage.done;
      if (words !== undefined) context.onDone?.(words);
    }
  }
  return made;
}

const takeFound = async (stage: SharedStage, context: SharedContext) => (stage.open ? stage.open(context) : {});

/** The stages of one image, one after the other. */
export async function walkVersion(
  stages: readonly VersionStage[],
  version: Untold<VersionContext>,
  before: Partial<Made>,
  tell: BuildTeller,
): Promise<Made> {
  const made: Partial<Made> = { ...before };
  for (const stage of stages) {
    const context: VersionContext = { ...version, ...tellingOf(stage, version.target.kubernetes, tell) };
    Object.assign(made, await stage.make(context, allOf(made)));
    if (stage.done !== undefined) context.onDone?.(stage.done);
  }
  return allOf(made);
}

/** Versions of a lock mostly share a key. The first one of each. */
export async function onePerKey(
  { key }: Pick<SharedStage, 'key'>,
  targets: readonly Target[],
  tools: ToolVersions,
): Promise<Target[]> {
  const first = new Map<string, Target>();
  for (const target of targets) {
    const its = await key(target, tools);
    if (!first.has(its)) first.set(its, target);
  }
  return [...first.values()];
}

/** For one stage of one image, or of what they share. */
function tellingOf(
  { id }: Pick<SharedStage, 'id'>,
  kubernetes: string,
  tell: BuildTeller,
): Pick<BuildDeps, 'onWaiting' | 'onDone'> {
  return {
    onWaiting: waitingOf(kubernetes, tell),
    onDone: (stage) => tell.onDone?.({ id, kubernetes, stage }),
  };
}

/** Several images wait at the same time: which one it is follows in brackets. */
export function waitingOf(kubernetes: string, { onWaiting }: BuildTeller): WaitReporter {
  return (what, percent) => onWaiting?.(kubernetes === '' ? what : `${what} (${kubernetes})`, percent);
}

/** A stage reads only what it says it needs, and pipeline.test.ts sees to it that an earlier one makes that. */
const allOf = (made: Partial<Made>) => made as Made;

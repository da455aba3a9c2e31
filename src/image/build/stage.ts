// image/build/stage.ts: what is a stage of a build?
import type { ImageBuildDeps, ImageTarget, StageOutputs } from './contract.ts';
import type { Format } from './disk/disk.ts';
import type { LayerDeps } from './layers/layer.ts';
import type { ToolVersions } from './tool-versions.ts';

/** Where a build finds results of earlier builds. */
export interface Places {
  cacheFolder: string;
  /** Contains one folder per image. */
  out: string;
  formats: readonly Format[];
  tools: ToolVersions;
}

export interface Stage<
  Context,
  Needs extends keyof StageOutputs = keyof StageOutputs,
  Gives extends keyof StageOutputs = keyof StageOutputs,
> {
  /** Part of `--json` output: has no number, never renamed. */
  id: string;
  /** An imperative phrase that the dry run prints. */
  title: string;
  /** The row in the table of times. Undefined if only parts of the stage are reported. */
  done?: string;
  /** Equal keys mean equal bytes. */
  key(target: ImageTarget, tools: ToolVersions): string | Promise<string>;
  /** Whether a record of an earlier result exists. Does not verify its bytes; that happens on use. */
  isAvailable(target: ImageTarget, places: Places): boolean | Promise<boolean>;
  needs: readonly Needs[];
  gives: readonly Gives[];
  make(context: Context, made: Pick<StageOutputs, Needs>): Promise<Partial<StageOutputs>>;
}

/** Runs once per key, for any number of images. */
export interface SharedStage<
  Needs extends keyof StageOutputs = keyof StageOutputs,
  Gives extends keyof StageOutputs = keyof StageOutputs,
> extends Stage<SharedContext, Needs, Gives> {
  isNeeded(order: Pick<SharedContext, 'target' | 'isOffline'>): boolean;
  /** Appended to the title in the dry run. */
  amount?(targets: readonly ImageTarget[]): string;
  /** Replaces `make` if a result exists: verifies it and returns the same outputs. Undefined if the result disappeared. */
  open?(context: SharedContext): Promise<Partial<StageOutputs> | undefined>;
  /** The row in the table of times after verification. */
  verified?: string;
}

export interface SharedContext extends LayerDeps {
  /** The first target with this key. */
  target: ImageTarget;
  /** All images to build. */
  targets: readonly ImageTarget[];
  isOffline: boolean;
}

/** Runs once per image. */
export type VersionStage<
  Needs extends keyof StageOutputs = keyof StageOutputs,
  Gives extends keyof StageOutputs = keyof StageOutputs,
> = Stage<VersionContext, Needs, Gives>;

export interface VersionContext extends ImageBuildDeps {
  target: ImageTarget;
  contentSha256: string;
  formats: readonly Format[];
  /** The folder for the files to publish. */
  files: string;
}

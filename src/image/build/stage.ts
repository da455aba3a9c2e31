// image/build/stage.ts: the shape of one stage of a build.
import type { ImageBuildDeps, ImageTarget, StageOutputs } from './contract.ts';
import type { Format } from './disk/disk.ts';
import type { LayerDeps } from './layers/layer.ts';
import type { ToolVersions } from './tool-versions.ts';

/** Where a build looks for what it made before. */
export interface Places {
  cacheFolder: string;
  /** Images are folders in it. */
  out: string;
  formats: readonly Format[];
  tools: ToolVersions;
}

export interface Stage<
  Context,
  Needs extends keyof StageOutputs = keyof StageOutputs,
  Gives extends keyof StageOutputs = keyof StageOutputs,
> {
  /** In `--json`: no number, never renamed. */
  id: string;
  /** What it does, as an order: the dry run prints it. */
  title: string;
  /** In the table of times once it is made. None: only its parts are told. */
  done?: string;
  /** The same key, the same bytes. */
  key(target: ImageTarget, tools: ToolVersions): string | Promise<string>;
  /** Whether it was made before, by its record. Bytes are not read: that is done when they are used. */
  isAvailable(target: ImageTarget, places: Places): boolean | Promise<boolean>;
  needs: readonly Needs[];
  gives: readonly Gives[];
  make(context: Context, made: Pick<StageOutputs, Needs>): Promise<Partial<StageOutputs>>;
}

/** Made once for each key, whatever number of images need it. */
export interface SharedStage<
  Needs extends keyof StageOutputs = keyof StageOutputs,
  Gives extends keyof StageOutputs = keyof StageOutputs,
> extends Stage<SharedContext, Needs, Gives> {
  isNeeded(order: Pick<SharedContext, 'target' | 'isOffline'>): boolean;
  /** Added to the title in the dry run: how much it is. */
  amount?(targets: readonly ImageTarget[]): string;
  /** Instead of `make` for what is there: verifies it, and gives the same. Undefined if it is gone. */
  open?(context: SharedContext): Promise<Partial<StageOutputs> | undefined>;
  /** In the table of times, once it was verified. */
  verified?: string;
}

export interface SharedContext extends LayerDeps {
  /** The first one with this key. */
  target: ImageTarget;
  /** All images that are to be built. */
  targets: readonly ImageTarget[];
  isOffline: boolean;
}

/** Made for each image. */
export type VersionStage<
  Needs extends keyof StageOutputs = keyof StageOutputs,
  Gives extends keyof StageOutputs = keyof StageOutputs,
> = Stage<VersionContext, Needs, Gives>;

export interface VersionContext extends ImageBuildDeps {
  target: ImageTarget;
  contentSha256: string;
  formats: readonly Format[];
  /** The folder of what is published. */
  files: string;
}

// image/build/layers/layer.ts: what is a layer? A file system that images start from, identified by a hash of its inputs.
import type { ImageBuildDeps } from '../contract.ts';
import type { Ext4Place } from '../disk/ext4-place.ts';

export type LayerDeps = Omit<ImageBuildDeps, 'folder'>;

/** `Content`: facts about a cached layer besides its file system. `Copied`: facts about the content of a copy. */
export interface ImageLayer<Content, Copied = void> {
  /** Hash of all inputs and tools. */
  readonly key: string;
  /** Whether the cache has it. Does not verify its bytes. */
  isCached(cacheFolder: string): boolean;
  /** Verifies every byte; undefined if it is not cached. Moves a damaged layer aside and throws. */
  verify(deps: LayerDeps): Promise<Content | undefined>;
  /** Makes and caches it, completely or not at all. One build at a time; an existing layer is left alone. */
  make(deps: LayerDeps): Promise<void>;
  /** Writes its file system to `to` and verifies it while copying. */
  copyTo(to: Ext4Place, deps: ImageBuildDeps): Promise<Copied>;
}

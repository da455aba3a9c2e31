// image/build/layers/layer.ts: what is a layer? A file system that images begin with, named by what it is made of.
import type { ImageBuildDeps } from '../contract.ts';
import type { Ext4Place } from '../disk/ext4-place.ts';

export type LayerDeps = Omit<ImageBuildDeps, 'folder'>;

/** `Content`: what is known of a kept layer besides its file system. `Copied`: what a copy is known to hold. */
export interface ImageLayer<Content, Copied = void> {
  /** What it is made of, and with what: another key, another layer. */
  readonly key: string;
  /** Whether the cache has it. Its bytes are not read. */
  isKept(cacheFolder: string): boolean;
  /** Its content, every byte of it verified; undefined if it is not kept. A damaged layer is set aside, and that is an error. */
  verify(deps: LayerDeps): Promise<Content | undefined>;
  /** Makes and keeps it, whole or not at all. One build at a time; a layer that is there is left alone. */
  make(deps: LayerDeps): Promise<void>;
  /** Writes its file system to a place. What is copied is verified on the way. */
  copyTo(to: Ext4Place, deps: ImageBuildDeps): Promise<Copied>;
}

// vms/publisher.ts: contract for reading and changing a pool's model. publisher.suite.ts checks it.
import type { CallOptions } from '../base/call-options.ts';
import type { ImageRef, Pool, PoolRef, TagChange } from './pools.ts';

export interface ModelChange {
  image: ImageRef;
  /** `none` writes an empty cloud-config; otherwise base64 custom data. */
  bootstrap: 'none' | { customData: string };
  /**
   * The model's extensions after the change: the current ones named in `keep`, and those in `add`, taken from a saved model. An
   * ordering after an extension that is not there is dropped. `after` replaces the orderings of the named extensions.
   * `protectedSettings` are those of extensions in `add`, by name.
   */
  extensions: {
    keep: string[];
    add: readonly unknown[];
    after?: Readonly<Record<string, readonly string[]>>;
    protectedSettings?: ProtectedSettings;
  };
  tags: TagChange;
}

/** By the name of the extension. Secret: only the Secret of the saved model and the request to the cloud may contain them. */
export type ProtectedSettings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What a rollback restores, in the provider's format; callers store it and do not read it. */
export interface SavedModel {
  image: ImageRef;
  /** base64, from the donor or from the operator; absent when neither had any. */
  customData?: string;
  /** With their public settings; Azure never returns protected settings. */
  extensions: readonly unknown[];
  /** From the donor or from the operator. Empty settings: the extension has none. */
  protectedSettings?: ProtectedSettings;
}

/**
 * Publishing a version is one change to a pool's model; it does not depend on how the version was captured. Both methods throw
 * `NotFound` when the pool does not exist.
 */
export interface Publisher {
  /** The current model in the form that is saved for a rollback. Azure returns neither protected settings nor custom data. */
  readModel(pool: PoolRef, options?: CallOptions): Promise<SavedModel>;
  /** One conditional update, all or nothing. Throws `Conflict` when the pool's etag is no longer `pool.etag`. */
  changeModel(pool: Pool, change: ModelChange, options?: CallOptions): Promise<void>;
}

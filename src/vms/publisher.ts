// vms/publisher.ts: what are a pool's new instances made from, and how is another version offered to them? publisher.suite.ts checks it.
import type { CallOptions } from '../base/call-options.ts';
import type { ImageRef, Pool, PoolRef, TagChange } from './pools.ts';

/** One update, all or nothing. */
export interface ModelChange {
  image: ImageRef;
  /** none: an empty cloud-config; otherwise base64 custom data. */
  bootstrap: 'none' | { customData: string };
  /** The extensions the model has afterwards, by name: `keep` of those that are there, and `add` from a saved model. */
  extensions: { keep: string[]; add: readonly unknown[] };
  tags: TagChange;
}

/** What is needed to go back, as the provider itself writes it; opaque to its keepers. */
export interface SavedModel {
  image: ImageRef;
  /** base64, as found on the donor or given by the operator; absent = there was none to be had. */
  customData?: string;
  /** With their public settings; protected ones are never given back by a cloud. */
  extensions: readonly unknown[];
}

/**
 * Publishing is one field somewhere (a scale set's model today; a launch template or a node class could be others) and knows
 * nothing of how the version was captured. Both throw `NotFound` when there is no such pool.
 */
export interface Publisher {
  /** What is offered now, in the form that is saved for the way back. A cloud gives neither protected settings nor custom data. */
  readModel(pool: PoolRef, options?: CallOptions): Promise<SavedModel>;
  /** One conditional update, all or nothing; throws `Conflict` when the pool is no longer at `etag`. */
  changeModel(pool: Pool, change: ModelChange, options?: CallOptions): Promise<void>;
}

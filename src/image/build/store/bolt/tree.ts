// image/build/store/bolt/tree.ts: what is in a bolt database? Values and buckets by key, buckets in buckets. No pages: those are read.ts and write.ts.

export interface BoltBucket {
  /** The last number that the bucket gave out. */
  sequence: bigint;
  /** In the order of their keys' bytes. */
  entries: readonly BoltEntry[];
}

export type BoltEntry = BoltValue | NestedBucket;

export interface BoltValue {
  key: Uint8Array;
  value: Uint8Array;
}

export interface NestedBucket {
  key: Uint8Array;
  bucket: BoltBucket;
}

export interface BoltFile {
  pageSize: number;
  root: BoltBucket;
}

export const isNested = (entry: BoltEntry): entry is NestedBucket => 'bucket' in entry;
export const nameOf = (entry: BoltEntry): string => Buffer.from(entry.key).toString();

/** Undefined where there is none on the way. */
export function bucketAt(bucket: BoltBucket, ...path: readonly string[]): BoltBucket | undefined {
  let at: BoltBucket | undefined = bucket;
  for (const name of path) at = at?.entries.filter(isNested).find((entry) => nameOf(entry) === name)?.bucket;
  return at;
}

export function boltValueAt(bucket: BoltBucket, name: string): Uint8Array | undefined {
  const entry = bucket.entries.find((one) => nameOf(one) === name);
  return entry && !isNested(entry) ? entry.value : undefined;
}

/** By name, for buckets whose keys are text. */
export function bucketsIn(bucket: BoltBucket | undefined): ReadonlyMap<string, BoltBucket> {
  return new Map((bucket?.entries ?? []).filter(isNested).map((entry) => [nameOf(entry), entry.bucket]));
}

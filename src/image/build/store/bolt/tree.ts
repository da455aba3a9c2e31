// image/build/store/bolt/tree.ts: what does a bolt database contain? Values and nested buckets by key. read.ts and write.ts handle pages.

export interface BoltBucket {
  /** The last sequence number that the bucket assigned. */
  sequence: bigint;
  /** Sorted by the bytes of their keys. */
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

/** Undefined if a part of the path does not exist. */
export function bucketAt(bucket: BoltBucket, ...path: readonly string[]): BoltBucket | undefined {
  let at: BoltBucket | undefined = bucket;
  for (const name of path) at = at?.entries.filter(isNested).find((entry) => nameOf(entry) === name)?.bucket;
  return at;
}

export function boltValueAt(bucket: BoltBucket, name: string): Uint8Array | undefined {
  const entry = bucket.entries.find((one) => nameOf(one) === name);
  return entry && !isNested(entry) ? entry.value : undefined;
}

/** By name, for buckets with text keys. */
export function bucketsIn(bucket: BoltBucket | undefined): ReadonlyMap<string, BoltBucket> {
  return new Map((bucket?.entries ?? []).filter(isNested).map((entry) => [nameOf(entry), entry.bucket]));
}

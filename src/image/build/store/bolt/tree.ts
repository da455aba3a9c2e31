// image/build/store/bolt/tree.ts: what is in a bolt database? Values and buckets by key, buckets in buckets. No pages: those are read.ts and write.ts.

export interface Bucket {
  /** The last number that the bucket gave out. */
  sequence: bigint;
  /** In the order of their keys' bytes. */
  entries: readonly Entry[];
}

export type Entry = Value | Nested;

export interface Value {
  key: Uint8Array;
  value: Uint8Array;
}

export interface Nested {
  key: Uint8Array;
  bucket: Bucket;
}

export interface BoltFile {
  pageSize: number;
  root: Bucket;
}

export const isNested = (entry: Entry): entry is Nested => 'bucket' in entry;
export const nameOf = (entry: Entry): string => Buffer.from(entry.key).toString();

/** Undefined where there is none on the way. */
export function bucketAt(bucket: Bucket, ...path: readonly string[]): Bucket | undefined {
  let at: Bucket | undefined = bucket;
  for (const name of path) at = at?.entries.filter(isNested).find((entry) => nameOf(entry) === name)?.bucket;
  return at;
}

export function valueAt(bucket: Bucket, name: string): Uint8Array | undefined {
  const entry = bucket.entries.find((one) => nameOf(one) === name);
  return entry && !isNested(entry) ? entry.value : undefined;
}

/** By name, for buckets whose keys are text. */
export function bucketsIn(bucket: Bucket | undefined): ReadonlyMap<string, Bucket> {
  return new Map((bucket?.entries ?? []).filter(isNested).map((entry) => [nameOf(entry), entry.bucket]));
}

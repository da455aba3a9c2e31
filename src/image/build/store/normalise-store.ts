// image/build/store/normalise-store.ts: what in containerd's two databases depends on when and where they were made? That is set to fixed values, or left out.
import { type BoltBucket, type BoltEntry, boltValueAt, bucketAt, bucketsIn, isNested, nameOf } from './bolt/tree.ts';

export const NAMESPACE = 'k8s.io';
export const SNAPSHOTTER = 'overlayfs';

/** What a snapshot takes: containerd counts blocks of the disk it is on, which is not the node's. */
export interface Usage {
  inodes: number;
  bytes: number;
}

/** Of `meta.db`: images, content and snapshots stay; leases, half-done transfers, containers and other namespaces do not. */
export function normaliseMetadata(root: BoltBucket, epochSec: number): BoltBucket {
  const kept = only(root, ['v1'], (v1) =>
    only(v1, ['version', NAMESPACE], (namespace) =>
      only(namespace, ['images', 'content', 'snapshots', 'labels'], (objects, name) =>
        name === 'content' ? only(objects, ['blob']) : objects,
      ),
    ),
  );
  return withTimes(kept, goTime(epochSec));
}

/** Of the snapshotter's `metadata.db`. */
export function normaliseSnapshots(root: BoltBucket, usages: ReadonlyMap<bigint, Usage>, epochSec: number): BoltBucket {
  const withUsages = only(root, ['v1'], (v1) =>
    map(v1, (snapshots, name) =>
      name === 'snapshots' ? map(snapshots, (one) => withUsage(one, usages.get(idOf(one)))) : snapshots,
    ),
  );
  return withTimes(withUsages, goTime(epochSec));
}

export interface StoreContent {
  /** Name → digest of what it names. */
  images: ReadonlyMap<string, string>;
  blobs: ReadonlySet<string>;
  /** By chain id. One that is not named `sha256:…` is a layer that was not unpacked to its end. */
  snapshots: readonly string[];
}

export function storeContent(metadata: BoltBucket): StoreContent {
  const namespace = bucketAt(metadata, 'v1', NAMESPACE) ?? { sequence: 0n, entries: [] };
  const images = bucketsIn(bucketAt(namespace, 'images'));
  return {
    images: new Map([...images].map(([name, image]) => [name, text(bucketAt(image, 'target'), 'digest')])),
    blobs: new Set(bucketsIn(bucketAt(namespace, 'content', 'blob')).keys()),
    snapshots: [...bucketsIn(bucketAt(namespace, 'snapshots', SNAPSHOTTER)).keys()],
  };
}

/** The folders' names below `snapshots/`. */
export function snapshotIds(snapshots: BoltBucket): bigint[] {
  return [...bucketsIn(bucketAt(snapshots, 'v1', 'snapshots')).values()].map(idOf);
}

/** What find(1) says of every file of a snapshot, `type inode bytes number/fs`, added up as ext4 would have it. */
export function parseUsages(lines: string): Map<bigint, Usage> {
  const usages = new Map<bigint, Usage>();
  const seen = new Set<string>();
  for (const line of lines.split('\n').filter(Boolean)) {
    const [, type, inode, size, id] = /^(.) (\d+) (\d+) (\d+)\/fs$/.exec(line) ?? [];
    if (id === undefined) throw new Error(`not what find was asked to print: ${line}`);
    if (seen.has(inode!)) continue; // another name of the same file
    seen.add(inode!);
    const { inodes, bytes } = usages.get(BigInt(id)) ?? { inodes: 0, bytes: 0 };
    usages.set(BigInt(id), { inodes: inodes + 1, bytes: bytes + blockBytes(type!, Number(size)) });
  }
  return usages;
}

const BLOCK_BYTES = 4096;
/** A shorter link is kept in the inode itself. */
const FAST_LINK_BYTES = 60;

function blockBytes(type: string, size: number): number {
  if (type === 'd') return BLOCK_BYTES; // a folder's size is as the disk it was made on has it
  if (type === 'l') return size < FAST_LINK_BYTES ? 0 : BLOCK_BYTES;
  return type === 'f' ? Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES : 0;
}

type BucketChange = (bucket: BoltBucket, name: string) => BoltBucket;

function map(bucket: BoltBucket, change: BucketChange): BoltBucket {
  const entries = bucket.entries.map((entry) =>
    isNested(entry) ? { ...entry, bucket: change(entry.bucket, nameOf(entry)) } : entry,
  );
  return { ...bucket, entries };
}

function only(bucket: BoltBucket, names: readonly string[], change: BucketChange = (one) => one): BoltBucket {
  return map({ ...bucket, entries: bucket.entries.filter((entry) => names.includes(nameOf(entry))) }, change);
}

function withTimes(bucket: BoltBucket, time: Uint8Array): BoltBucket {
  const entries = bucket.entries.map((entry): BoltEntry => {
    const name = nameOf(entry);
    if (!isNested(entry)) return name === 'createdat' || name === 'updatedat' ? { ...entry, value: time } : entry;
    // What is written in labels is the image's own.
    return name === 'labels' ? entry : { ...entry, bucket: withTimes(entry.bucket, time) };
  });
  return { ...bucket, entries };
}

function withUsage(snapshot: BoltBucket, usage: Usage | undefined): BoltBucket {
  if (!usage) throw new Error(`snapshot ${idOf(snapshot)} has no files`);
  const values: Record<string, Uint8Array> = { inodes: varint(usage.inodes), size: varint(usage.bytes) };
  const entries = snapshot.entries.map((entry) => {
    const value = values[nameOf(entry)];
    return value && !isNested(entry) ? { ...entry, value } : entry;
  });
  return { ...snapshot, entries };
}

function text(bucket: BoltBucket | undefined, name: string): string {
  const value = bucket && boltValueAt(bucket, name);
  return value ? Buffer.from(value).toString() : '';
}

/** As Go's encoding/binary writes it: seven bits a byte, the lowest first. */
function idOf(snapshot: BoltBucket): bigint {
  const bytes = boltValueAt(snapshot, 'id') ?? new Uint8Array();
  return bytes.reduceRight((sum, byte) => (sum << 7n) | BigInt(byte & 0x7f), 0n);
}

/** The same with a sign in the lowest bit. */
export function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt(value) << 1n;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.from([...bytes, Number(rest)]);
}

/** From the first of January of the year 1 to 1970. */
const YEAR_ONE_SEC = 62_135_596_800n;

/** As Go's time.MarshalBinary writes a moment in UTC: version 1, seconds since the year 1, nanoseconds, no zone. */
export function goTime(epochSec: number): Uint8Array {
  const bytes = Buffer.alloc(15);
  bytes.writeUInt8(1, 0);
  bytes.writeBigInt64BE(YEAR_ONE_SEC + BigInt(epochSec), 1);
  bytes.writeInt16BE(-1, 13);
  return bytes;
}

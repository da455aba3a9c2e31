// image/build/store/normalise-store.ts: which values in containerd's two databases depend on time or machine? They are set to fixed values or removed.
import { type BoltBucket, type BoltEntry, boltValueAt, bucketAt, bucketsIn, isNested, nameOf } from './bolt/tree.ts';

export const NAMESPACE = 'k8s.io';
export const SNAPSHOTTER = 'overlayfs';

/** Disk usage of a snapshot. containerd counts blocks of this machine's disk, which may differ from the node's. */
export interface Usage {
  inodes: number;
  bytes: number;
}

/** Keeps images, content and snapshots of `meta.db`; removes leases, partial transfers, containers and other namespaces. */
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

/** For `metadata.db` of the snapshotter. */
export function normaliseSnapshots(root: BoltBucket, usages: ReadonlyMap<bigint, Usage>, epochSec: number): BoltBucket {
  const withUsages = only(root, ['v1'], (v1) =>
    map(v1, (snapshots, name) =>
      name === 'snapshots' ? map(snapshots, (one) => withUsage(one, usages.get(idOf(one)))) : snapshots,
    ),
  );
  return withTimes(withUsages, goTime(epochSec));
}

export interface StoreContent {
  /** Digest by image name. */
  images: ReadonlyMap<string, string>;
  blobs: ReadonlySet<string>;
  /** Chain ids. A name without `sha256:` belongs to a layer that was not completely unpacked. */
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

/** The names of the folders in `snapshots/`. */
export function snapshotIds(snapshots: BoltBucket): bigint[] {
  return [...bucketsIn(bucketAt(snapshots, 'v1', 'snapshots')).values()].map(idOf);
}

/** Adds up the output of find(1), `type inode bytes number/fs` per file, with the block size of ext4. */
export function parseUsages(lines: string): Map<bigint, Usage> {
  const usages = new Map<bigint, Usage>();
  const seen = new Set<string>();
  for (const line of lines.split('\n').filter(Boolean)) {
    const [, type, inode, size, id] = /^(.) (\d+) (\d+) (\d+)\/fs$/.exec(line) ?? [];
    if (id === undefined) throw new Error(`unexpected output of find: ${line}`);
    if (seen.has(inode!)) continue; // a hard link
    seen.add(inode!);
    const { inodes, bytes } = usages.get(BigInt(id)) ?? { inodes: 0, bytes: 0 };
    usages.set(BigInt(id), { inodes: inodes + 1, bytes: bytes + blockBytes(type!, Number(size)) });
  }
  return usages;
}

const BLOCK_BYTES = 4096;
/** A shorter link target is stored in the inode itself. */
const FAST_LINK_BYTES = 60;

function blockBytes(type: string, size: number): number {
  if (type === 'd') return BLOCK_BYTES; // the size of a folder depends on the file system
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
    // Labels come from the image and stay unchanged.
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

/** Go's encoding/binary varint: seven bits per byte, lowest first. */
function idOf(snapshot: BoltBucket): bigint {
  const bytes = boltValueAt(snapshot, 'id') ?? new Uint8Array();
  return bytes.reduceRight((sum, byte) => (sum << 7n) | BigInt(byte & 0x7f), 0n);
}

/** Signed varint: the sign is in the lowest bit. */
export function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt(value) << 1n;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.from([...bytes, Number(rest)]);
}

/** Seconds from January 1 of the year 1 to 1970. */
const YEAR_ONE_SEC = 62_135_596_800n;

/** Go's time.MarshalBinary in UTC: version 1, seconds since the year 1, nanoseconds, no zone. */
export function goTime(epochSec: number): Uint8Array {
  const bytes = Buffer.alloc(15);
  bytes.writeUInt8(1, 0);
  bytes.writeBigInt64BE(YEAR_ONE_SEC + BigInt(epochSec), 1);
  bytes.writeInt16BE(-1, 13);
  return bytes;
}

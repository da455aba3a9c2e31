import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BoltBucket, type BoltEntry, boltValueAt, bucketAt, bucketsIn } from './bolt/tree.ts';
import {
  goTime,
  normaliseMetadata,
  normaliseSnapshots,
  parseUsages,
  snapshotIds,
  storeContent,
  varint,
} from './normalise-store.ts';

type Tree = { [name: string]: Tree | string | Uint8Array };

/** A bucket of names; the comparison ignores their order. */
function bucketOf(tree: Tree): BoltBucket {
  const entries = Object.entries(tree).map(([name, content]): BoltEntry => {
    const key = Buffer.from(name);
    if (typeof content === 'string') return { key, value: Buffer.from(content) };
    return content instanceof Uint8Array ? { key, value: content } : { key, bucket: bucketOf(content) };
  });
  return { sequence: 0n, entries };
}

const DIGEST = `sha256:${'a'.repeat(64)}`;
const NOW = goTime(1_800_000_000);
const times = { createdat: NOW, updatedat: NOW };
const metadata = (now: Uint8Array): Tree => ({
  v1: {
    version: varint(3),
    default: { images: { other: {} } },
    'k8s.io': {
      images: {
        'a.example/b:1': { createdat: now, updatedat: now, labels: { createdat: 'mine' }, target: { digest: DIGEST } },
      },
      content: { blob: { [DIGEST]: { createdat: now, size: varint(5) } }, ingests: { half: { ref: 'x' } } },
      snapshots: { overlayfs: { [DIGEST]: { createdat: now, name: `k8s.io/2/${DIGEST}` } } },
      leases: { 'random-1': { createdat: now } },
    },
  },
});

test('databases from different times become equal', () => {
  const [one, other] = [0, 5_000_000].map((sec) => normaliseMetadata(bucketOf(metadata(goTime(sec))), 86_400));
  expect(one).toEqual(other);
  expect(boltValueAt(bucketAt(one!, 'v1', 'k8s.io', 'images', 'a.example/b:1')!, 'createdat')).toEqual(goTime(86_400));
});

test('leases, partial transfers and other namespaces are removed; a label with the name of a time is kept', () => {
  const kept = normaliseMetadata(bucketOf(metadata(NOW)), 0);
  expect([...bucketsIn(bucketAt(kept, 'v1')).keys()]).toEqual(['k8s.io']);
  expect([...bucketsIn(bucketAt(kept, 'v1', 'k8s.io')).keys()]).toEqual(['images', 'content', 'snapshots']);
  expect(bucketAt(kept, 'v1', 'k8s.io', 'content', 'ingests')).toBeUndefined();
  const labels = bucketAt(kept, 'v1', 'k8s.io', 'images', 'a.example/b:1', 'labels')!;
  expect(Buffer.from(boltValueAt(labels, 'createdat')!).toString()).toBe('mine');
  expect(storeContent(kept)).toEqual({
    images: new Map([['a.example/b:1', DIGEST]]),
    blobs: new Set([DIGEST]),
    snapshots: [DIGEST],
  });
});

test('the usage of a snapshot is the given one, not that of the build disk', () => {
  const root = bucketOf({
    v1: {
      snapshots: { a: { ...times, id: Uint8Array.of(0x81, 0x01), inodes: varint(1), size: varint(4_000) } },
      parents: {},
    },
  });
  expect(snapshotIds(root)).toEqual([129n]);
  const settled = normaliseSnapshots(root, new Map([[129n, { inodes: 7, bytes: 12_288 }]]), 0);
  const snapshot = bucketAt(settled, 'v1', 'snapshots', 'a')!;
  expect(boltValueAt(snapshot, 'inodes')).toEqual(varint(7));
  expect(boltValueAt(snapshot, 'size')).toEqual(varint(12_288));
  expect(boltValueAt(snapshot, 'updatedat')).toEqual(goTime(0));
  expect(() => normaliseSnapshots(root, new Map(), 0)).toThrow('snapshot 129 has no files');
});

test('files are counted once for each inode and take whole blocks', () => {
  const lines = [
    'd 10 4096 1/fs',
    'f 11 1 1/fs',
    'f 11 1 1/fs',
    'f 12 4097 1/fs',
    'l 13 59 1/fs',
    'l 14 60 1/fs',
    'c 15 0 1/fs',
    'd 16 36864 2/fs',
  ];
  expect(parseUsages(`${lines.join('\n')}\n`)).toEqual(
    new Map([
      [1n, { inodes: 6, bytes: 4096 + 4096 + 8192 + 4096 }],
      [2n, { inodes: 1, bytes: 4096 }],
    ]),
  );
  expect(() => parseUsages('f 1 2 ../fs\n')).toThrow('unexpected output of find');
});

test('goTime matches the encoding of Go', () => {
  // time.Unix(0, 0).UTC().MarshalBinary()
  expect(Buffer.from(goTime(0)).toString('hex')).toBe('010000000e7791f70000000000ffff');
});

test('varint matches the encoding of Go: seven bits per byte, sign in the lowest bit', () => {
  expect([0, 1, 63, 64, 300].map((number) => Buffer.from(varint(number)).toString('hex'))).toEqual([
    '00',
    '02',
    '7e',
    '8001',
    'd804',
  ]);
  fc.assert(
    fc.property(fc.maxSafeNat(), (number) => {
      const read = varint(number).reduceRight((sum, byte) => (sum << 7n) | BigInt(byte & 0x7f), 0n) >> 1n;
      expect(read).toBe(BigInt(number));
    }),
  );
});

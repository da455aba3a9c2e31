import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../../../base/errors.ts';
import { metaChecksum, PAGE_HEADER } from './page.ts';
import { readBolt } from './read.ts';
import { type Bucket, bucketAt, bucketsIn, type Entry, isNested, nameOf, valueAt } from './tree.ts';
import { writeBolt } from './write.ts';

const PAGE = 4096;
const bytes = (max: number, min = 0) =>
  fc.uint8Array({ minLength: min, maxLength: max }).map((one) => Buffer.from(one));
const sequence = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
const hex = ({ key }: Entry) => Buffer.from(key).toString('hex');
const inOrder = (a: Entry, b: Entry) => Buffer.compare(a.key, b.key);

const { bucket } = fc.letrec<{ bucket: Bucket; entry: Entry }>((tie) => ({
  bucket: fc.record({
    sequence,
    entries: fc.uniqueArray(tie('entry'), { selector: hex, maxLength: 10 }).map((all) => all.sort(inOrder)),
  }),
  entry: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.record({ key: bytes(40, 1), value: bytes(200) }),
    fc.record({ key: bytes(40, 1), bucket: tie('bucket') }),
  ),
}));

const value = (key: string, length: number) => ({ key: Buffer.from(key), value: Buffer.alloc(length, key) });
const many = (count: number, length: number): Bucket => ({
  sequence: 7n,
  entries: Array.from({ length: count }, (_, index) => value(`key-${String(index).padStart(8, '0')}`, length)),
});

describe('a bolt file', () => {
  test.each([1024, PAGE])('holds what was written to it, in pages of %i bytes', (pageSize) => {
    fc.assert(
      fc.property(bucket, (root) => {
        const read = readBolt(writeBolt({ pageSize, root }), 'a.db');
        expect(read.pageSize).toBe(pageSize);
        expect(textOf(read.root)).toBe(textOf(root));
      }),
    );
  });

  test('is the same in whatever order its content comes', () => {
    fc.assert(
      fc.property(bucket, (root) => {
        const turned = { ...root, entries: root.entries.toReversed() };
        expect(writeBolt({ pageSize: PAGE, root: turned }).equals(writeBolt({ pageSize: PAGE, root }))).toBe(true);
      }),
    );
  });

  test.each([
    ['nothing', many(0, 0)],
    ['one value over several pages', many(1, 50_000)],
    ['values that each fill more than a page', many(20, 5000)],
    ['so many keys that branches have branches above them', many(20_000, 10)],
    ['long keys, of which two do not fit one branch', { sequence: 0n, entries: longKeys(12, 3000) }],
    ['keys as long as they may be', { sequence: 0n, entries: longKeys(5, 32768) }],
  ])('may hold %s', (_, root) => {
    const file = writeBolt({ pageSize: PAGE, root });
    expect(file.length % PAGE).toBe(0);
    expect(textOf(readBolt(file, 'a.db').root)).toBe(textOf(root));
  });

  test('has at least two pages below every branch, as bolt wants it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 900 }), (count, length) => {
        const file = writeBolt({ pageSize: 1024, root: { sequence: 0n, entries: longKeys(count, length) } });
        for (let at = 3 * 1024; at < file.length; at += 1024 * (1 + file.readUInt32LE(at + 12))) {
          if (file.readUInt16LE(at + 8) === 1) expect(file.readUInt16LE(at + 10)).toBeGreaterThanOrEqual(2);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('takes no key twice, and none that is empty', () => {
    const twice = { sequence: 0n, entries: [value('a', 1), value('a', 2)] };
    expect(() => writeBolt({ pageSize: PAGE, root: twice })).toThrow('twice');
    expect(() => writeBolt({ pageSize: PAGE, root: { sequence: 0n, entries: [value('', 1)] } })).toThrow('0 bytes');
  });
});

describe('files that containerd 1.6.20 wrote', () => {
  test('are read: images, blobs, snapshots, and written again with nothing lost', () => {
    const file = fixture('meta.db.gz');
    const { pageSize, root } = readBolt(file, 'meta.db');
    expect(pageSize).toBe(PAGE);
    const namespace = bucketAt(root, 'v1', 'k8s.io')!;
    expect([...bucketsIn(bucketAt(namespace, 'images')).keys()]).toContain('registry.k8s.io/pause:3.10');
    const [snapshot] = bucketsIn(bucketAt(namespace, 'snapshots', 'overlayfs')).values();
    expect(Buffer.from(valueAt(snapshot!, 'name')!).toString()).toMatch(/^k8s\.io\/\d+\/sha256:/);
    expect(textOf(readBolt(writeBolt({ pageSize, root }), 'again').root)).toBe(textOf(root));
  });

  test('are read with the pages of an earlier transaction still in them', () => {
    const { root } = readBolt(fixture('metadata.db.gz'), 'metadata.db');
    expect(bucketAt(root, 'v1', 'snapshots')!.entries.every(isNested)).toBe(true);
    expect(bucketAt(root, 'v1')!.entries.map(nameOf)).toEqual(['parents', 'snapshots']);
  });
});

describe('a file that is not whole', () => {
  const whole = writeBolt({
    pageSize: 1024,
    root: { sequence: 3n, entries: [nested('b', many(200, 20)), value('v', 5000)] },
  });
  const isRefused = (file: Uint8Array) => {
    try {
      readBolt(file, 'a.db');
      return false;
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== 'image/damaged-database') throw error;
      return true;
    }
  };

  test('is refused wherever it is cut off', () => {
    for (let length = 0; length < whole.length; length += 97) expect(isRefused(whole.subarray(0, length))).toBe(true);
  });

  test('is read from the other of its two first pages when one is damaged', () => {
    for (const page of [0, 1]) {
      const damaged = Buffer.from(whole);
      damaged.fill(0xff, page * 1024, (page + 1) * 1024);
      expect(textOf(readBolt(damaged, 'a.db').root)).toBe(textOf(readBolt(whole, 'a.db').root));
    }
  });

  test('is refused or read, and nothing else happens, whatever its bytes are changed to', () => {
    const change = fc.record({ at: fc.nat(whole.length - 3072 - 1), byte: fc.integer({ min: 0, max: 255 }) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
        const damaged = Buffer.from(whole);
        for (const { at, byte } of changes) damaged[3072 + at] = byte;
        isRefused(damaged);
      }),
      { numRuns: 2000 },
    );
  });

  test('is refused when two branches lead to one page, as in a ring', () => {
    const ring = writeBolt({ pageSize: 1024, root: { sequence: 0n, entries: [nested('b', many(200, 20))] } });
    const root = 1024 * Number(ring.readBigUInt64LE(1024 + PAGE_HEADER + 16));
    // The bucket `b` is now the page that it is in.
    const position = root + PAGE_HEADER + ring.readUInt32LE(root + PAGE_HEADER + 4) + 1;
    ring.writeBigUInt64LE(BigInt(root / 1024), position);
    expect(() => readBolt(ring, 'a.db')).toThrow('in use twice');
  });

  test.each([
    ['a page size that there is not', 8, 1000],
    ['another version', 4, 3],
  ])('is refused with %s', (_, at, number) => {
    const damaged = Buffer.from(whole);
    for (const page of [0, 1]) {
      const meta = damaged.subarray(page * 1024 + PAGE_HEADER, page * 1024 + PAGE_HEADER + 64);
      meta.writeUInt32LE(number, at);
      meta.writeBigUInt64LE(metaChecksum(meta), 56);
    }
    expect(() => readBolt(damaged, 'a.db')).toThrow('a.db is damaged: neither');
  });

  test('is refused when it is something else altogether', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 20_000 }), (noise) => isRefused(noise)));
  });
});

/** Comparing texts is quick where comparing trees of bytes is not. */
function textOf({ sequence, entries }: Bucket): string {
  const lines = entries.map(
    (entry) => `${hex(entry)}=${isNested(entry) ? textOf(entry.bucket) : Buffer.from(entry.value).toString('hex')}`,
  );
  return `${sequence}{${lines.join('\n')}}`;
}

function longKeys(count: number, length: number): Entry[] {
  return Array.from({ length: count }, (_, index) => ({
    key: Buffer.from(String(index).padStart(Math.max(length, 6), '0')),
    value: Buffer.from([index & 0xff]),
  }));
}

function nested(key: string, inner: Bucket): Entry {
  return { key: Buffer.from(key), bucket: inner };
}

function fixture(name: string): Buffer {
  return gunzipSync(readFileSync(join(import.meta.dirname, 'fixtures', name)));
}

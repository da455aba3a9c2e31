// image/build/store/bolt/bolt.testing.ts: bolt content for tests: arbitrary, large and deep buckets, and a comparison.
import fc from 'fast-check';
import { type BoltBucket, type BoltEntry, isNested } from './tree.ts';

const bytes = (max: number, min = 0) =>
  fc.uint8Array({ minLength: min, maxLength: max }).map((one) => Buffer.from(one));
const sequence = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
const hex = ({ key }: BoltEntry) => Buffer.from(key).toString('hex');
const inOrder = (a: BoltEntry, b: BoltEntry) => Buffer.compare(a.key, b.key);

export const { bucket } = fc.letrec<{ bucket: BoltBucket; entry: BoltEntry }>((tie) => ({
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

export const value = (key: string, length: number) => ({ key: Buffer.from(key), value: Buffer.alloc(length, key) });
export const many = (count: number, length: number): BoltBucket => ({
  sequence: 7n,
  entries: Array.from({ length: count }, (_, index) => value(`key-${String(index).padStart(8, '0')}`, length)),
});

/** Comparing texts is faster than comparing trees of bytes. */
export function textOf({ sequence, entries }: BoltBucket): string {
  const lines = entries.map(
    (entry) => `${hex(entry)}=${isNested(entry) ? textOf(entry.bucket) : Buffer.from(entry.value).toString('hex')}`,
  );
  return `${sequence}{${lines.join('\n')}}`;
}

export function longKeys(count: number, length: number): BoltEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    key: Buffer.from(String(index).padStart(Math.max(length, 6), '0')),
    value: Buffer.from([index & 0xff]),
  }));
}

export function nested(key: string, inner: BoltBucket): BoltEntry {
  return { key: Buffer.from(key), bucket: inner };
}

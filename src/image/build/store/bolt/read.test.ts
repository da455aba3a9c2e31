import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../../../base/errors.ts';
import { many, nested, textOf, value } from './bolt.testing.ts';
import { metaChecksum, PAGE_HEADER } from './page.ts';
import { readBolt } from './read.ts';
import { boltValueAt, bucketAt, bucketsIn, isNested, nameOf } from './tree.ts';
import { writeBolt } from './write.ts';

const PAGE = 4096;

describe('files that containerd 1.6.20 wrote', () => {
  test('are read completely, and written again without loss', () => {
    const file = fixture('meta.db.gz');
    const { pageSize, root } = readBolt(file, 'meta.db');
    expect(pageSize).toBe(PAGE);
    const namespace = bucketAt(root, 'v1', 'k8s.io')!;
    expect([...bucketsIn(bucketAt(namespace, 'images')).keys()]).toContain('registry.k8s.io/pause:3.10');
    const [snapshot] = bucketsIn(bucketAt(namespace, 'snapshots', 'overlayfs')).values();
    expect(Buffer.from(boltValueAt(snapshot!, 'name')!).toString()).toMatch(/^k8s\.io\/\d+\/sha256:/);
    expect(textOf(readBolt(writeBolt({ pageSize, root }), 'again').root)).toBe(textOf(root));
  });

  test('are read although they contain pages of an earlier transaction', () => {
    const { root } = readBolt(fixture('metadata.db.gz'), 'metadata.db');
    expect(bucketAt(root, 'v1', 'snapshots')!.entries.every(isNested)).toBe(true);
    expect(bucketAt(root, 'v1')!.entries.map(nameOf)).toEqual(['parents', 'snapshots']);
  });
});

describe('a damaged file', () => {
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

  test('is refused at any truncation', () => {
    for (let length = 0; length < whole.length; length += 97) expect(isRefused(whole.subarray(0, length))).toBe(true);
  });

  test('is read from the other meta page if one is damaged', () => {
    for (const page of [0, 1]) {
      const damaged = Buffer.from(whole);
      damaged.fill(0xff, page * 1024, (page + 1) * 1024);
      expect(textOf(readBolt(damaged, 'a.db').root)).toBe(textOf(readBolt(whole, 'a.db').root));
    }
  });

  test('is either read or refused for any changed bytes', () => {
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

  test('is refused if two branches point to one page, as in a cycle', () => {
    const ring = writeBolt({ pageSize: 1024, root: { sequence: 0n, entries: [nested('b', many(200, 20))] } });
    const root = 1024 * Number(ring.readBigUInt64LE(1024 + PAGE_HEADER + 16));
    // The bucket `b` now points to the page that contains it.
    const position = root + PAGE_HEADER + ring.readUInt32LE(root + PAGE_HEADER + 4) + 1;
    ring.writeBigUInt64LE(BigInt(root / 1024), position);
    expect(() => readBolt(ring, 'a.db')).toThrow('used twice');
  });

  test.each([
    ['an invalid page size', 8, 1000],
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

  test('is refused if it is not a bolt file', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 20_000 }), (noise) => isRefused(noise)));
  });
});

function fixture(name: string): Buffer {
  return gunzipSync(readFileSync(join(import.meta.dirname, 'fixtures', name)));
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bucket, longKeys, many, textOf, value } from './bolt.testing.ts';
import { readBolt } from './read.ts';
import { writeBolt } from './write.ts';

const PAGE = 4096;

describe('writeBolt', () => {
  test.each([1024, PAGE])('writes content that readBolt reads back, in pages of %i bytes', (pageSize) => {
    fc.assert(
      fc.property(bucket, (root) => {
        const read = readBolt(writeBolt({ pageSize, root }), 'a.db');
        expect(read.pageSize).toBe(pageSize);
        expect(textOf(read.root)).toBe(textOf(root));
      }),
    );
  });

  test('does not depend on the order of entries', () => {
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
    ['values larger than a page', many(20, 5000)],
    ['so many keys that branches are nested', many(20_000, 10)],
    ['long keys, two of which do not fit into one branch', { sequence: 0n, entries: longKeys(12, 3000) }],
    ['keys of the maximum length', { sequence: 0n, entries: longKeys(5, 32768) }],
  ])('supports %s', (_, root) => {
    const file = writeBolt({ pageSize: PAGE, root });
    expect(file.length % PAGE).toBe(0);
    expect(textOf(readBolt(file, 'a.db').root)).toBe(textOf(root));
  });

  test('puts at least two pages below every branch, as bolt requires', () => {
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

  test('refuses a duplicate key and an empty key', () => {
    const twice = { sequence: 0n, entries: [value('a', 1), value('a', 2)] };
    expect(() => writeBolt({ pageSize: PAGE, root: twice })).toThrow('twice');
    expect(() => writeBolt({ pageSize: PAGE, root: { sequence: 0n, entries: [value('', 1)] } })).toThrow('0 bytes');
  });
});

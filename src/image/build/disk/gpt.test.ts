import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { derivedId } from './derived-id.ts';
import { layoutFor, rootBytesFor } from './disk-layout.ts';
import { partitionTable } from './gpt.ts';

const MIB = 2 ** 20;
const ROOT = '4f68bce3-e8cd-4db1-96e7-fbcaf984b709';
const sizes = fc.integer({ min: 1, max: 1 << 20 }).map((mib) => mib * MIB);

describe('layoutFor', () => {
  it('aligns everything to MiB, in order, without gaps, with the root last', () => {
    fc.assert(
      fc.property(sizes, (bytes) => {
        const { diskBytes, esp, root } = layoutFor(bytes);
        expect(rootBytesFor(diskBytes)).toBe(bytes);
        expect([esp.startBytes, root.startBytes, root.startBytes + root.bytes]).toEqual([
          MIB,
          esp.startBytes + esp.bytes,
          diskBytes - MIB,
        ]);
        for (const number of [diskBytes, esp.startBytes, esp.bytes, root.startBytes]) expect(number % MIB).toBe(0);
      }),
    );
  });

  it.each([0, 130 * MIB, 1000 * MIB + 512, -MIB])('refuses a disk of %i bytes', (bytes) => {
    expect(() => rootBytesFor(bytes)).toThrow(RangeError);
    expect(() => layoutFor(bytes % MIB === 0 ? bytes - 131 * MIB : bytes)).toThrow(RangeError);
  });
});

describe('partitionTable', () => {
  it('writes matching tables with valid checksums at both ends of the disk', () => {
    fc.assert(
      fc.property(sizes, fc.string({ maxLength: 50 }), (bytes, seed) => {
        const { diskBytes, root } = layoutFor(bytes);
        const id = derivedId(seed, 'root');
        const { head, tail } = partitionTable(diskBytes, derivedId(seed, 'disk'), [
          { ...root, type: ROOT, id, name: 'root', flags: [59] },
        ]);
        const sectors = diskBytes / 512;
        const [first, last] = [head.subarray(512, 1024), tail.subarray(-512)];
        for (const header of [first, last]) {
          const bare = Buffer.from(header.subarray(0, 92));
          bare.writeUInt32LE(0, 16);
          expect(header.readUInt32LE(16)).toBe(crc32(bare));
          expect(header.readUInt32LE(88)).toBe(crc32(head.subarray(1024)));
        }
        expect(head.subarray(1024).equals(tail.subarray(0, -512))).toBe(true);
        expect([first.readBigUInt64LE(24), first.readBigUInt64LE(32)]).toEqual([1n, BigInt(sectors - 1)]);
        expect([last.readBigUInt64LE(24), last.readBigUInt64LE(72)]).toEqual([
          BigInt(sectors - 1),
          BigInt(sectors - 33),
        ]);
        const entry = head.subarray(1024, 1152);
        expect(entry.readBigUInt64LE(32)).toBe(BigInt(root.startBytes / 512));
        expect(entry.readBigUInt64LE(40)).toBe(BigInt((root.startBytes + root.bytes) / 512 - 1));
        expect(entry.readBigUInt64LE(48)).toBe(1n << 59n);
        expect(entry.toString('utf16le', 56, 64)).toBe('root');
      }),
    );
  });

  it('writes ids in mixed-endian form, as specified', () => {
    const { head } = partitionTable(200 * MIB, ROOT, []);
    expect(head.subarray(512 + 56, 512 + 72).toString('hex')).toBe('e3bc684fcde8b14d96e7fbcaf984b709');
  });
});

describe('derivedId', () => {
  it('is a UUID that depends on its input only', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (seed, what) => {
        const id = derivedId(seed, what);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(derivedId(seed, what)).toBe(id);
        expect(derivedId(`${seed}.`, what)).not.toBe(id);
        expect(derivedId(seed, `${what}.`)).not.toBe(id);
      }),
    );
  });
});

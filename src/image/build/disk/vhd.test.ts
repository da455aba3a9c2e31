import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { geometry, vhdFooter } from './vhd.ts';

const ID = '11223344-5566-8788-89aa-bbccddeeff00';

describe('vhdFooter', () => {
  it('contains the size, the fixed type and a valid checksum', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1 << 22 }), (mib) => {
        const footer = vhdFooter(mib * 2 ** 20, ID);
        expect(footer.toString('latin1', 0, 8)).toBe('conectix');
        expect(footer.readBigUInt64BE(48)).toBe(BigInt(mib) << 20n);
        expect(footer.readUInt32BE(60)).toBe(2);
        const bare = Buffer.from(footer);
        bare.writeUInt32BE(0, 64);
        expect(footer.readUInt32BE(64)).toBe(~bare.reduce((sum, byte) => sum + byte, 0) >>> 0);
      }),
    );
  });

  it('contains the id in text order, and no time', () => {
    const footer = vhdFooter(2 ** 30, ID);
    expect(footer.subarray(68, 84).toString('hex')).toBe(ID.replaceAll('-', ''));
    expect(footer.readUInt32BE(24)).toBe(0);
  });
});

describe('geometry', () => {
  it('never exceeds the disk, and fits its fields', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2048, max: 2 ** 33 }), (total) => {
        const { cylinders, heads, sectors } = geometry(total);
        expect(cylinders * heads * sectors).toBeLessThanOrEqual(total);
        expect(cylinders).toBeLessThanOrEqual(65_535);
        expect(heads).toBeLessThanOrEqual(16);
        expect(sectors).toBeLessThanOrEqual(255);
      }),
    );
  });

  it.each([
    [262_144, { cylinders: 963, heads: 16, sectors: 17 }],
    [8_388_608, { cylinders: 8322, heads: 16, sectors: 63 }],
    [2 ** 33, { cylinders: 65_535, heads: 16, sectors: 255 }],
  ])('of %i sectors follows the specification’s formula', (total, expected) => {
    expect(geometry(total)).toEqual(expected);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { geometry, vhdFooter } from './vhd.ts';

const ID = '11223344-5566-8788-89aa-bbccddeeff00';

describe('vhdFooter', () => {
  it('says how large the disk is, that it is fixed, and adds up', () => {
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

  it('has the id as it is written, and no time', () => {
    const footer = vhdFooter(2 ** 30, ID);
    expect(footer.subarray(68, 84).toString('hex')).toBe(ID.replaceAll('-', ''));
    expect(footer.readUInt32BE(24)).toBe(0);
  });
});

describe('geometry', () => {
  it('never claims more than there is, and fits its fields', () => {
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
  ])('of %i sectors is what the specification’s formula gives', (total, expected) => {
    expect(geometry(total)).toEqual(expected);
  });
});

import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PackFormat, packingOf, Unpackable, unpackBytes } from './unpack-bytes.ts';

const PACK: Readonly<Record<PackFormat, (bytes: Uint8Array) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  zstd: (bytes) => zstdCompressSync(bytes),
};

function inPieces(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}

describe.each(['gzip', 'zstd'] as const)('%s', (packing) => {
  it('unpacks any bytes, in pieces of any size, also several members in a row', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 3000 }), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 5000 }),
        (members, size) => {
          const packed = Buffer.concat(members.map(PACK[packing]));
          expect(packingOf(packed)).toBe(packing);
          const unpacked = Buffer.concat([...unpackBytes(packing, inPieces(packed, size))]);
          expect(unpacked.equals(Buffer.concat(members))).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('unpacks no more of 300 MB of zeros than the reader asks for', () => {
    const packed = PACK[packing](new Uint8Array(300 << 20));
    let seen = 0;
    for (const chunk of unpackBytes(packing, [packed])) {
      seen += chunk.length;
      if (seen > 1 << 16) break;
    }
    expect(seen).toBeLessThan(100 << 20);
  });

  it('gives the part before a cut, then says that the file is cut', () => {
    const text = Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * i) % 251));
    const packed = PACK[packing](text);
    const pieces: Uint8Array[] = [];
    const read = () => {
      for (const chunk of unpackBytes(packing, [packed.subarray(0, packed.length - 4)])) pieces.push(chunk);
    };
    expect(read).toThrow(Unpackable);
    expect(text.subarray(0, Buffer.concat(pieces).length).equals(Buffer.concat(pieces))).toBe(true);
  });

  it('rejects bytes that are not packed', () => {
    const damaged = Buffer.concat([PACK[packing](Buffer.from('x')).subarray(0, 10), Buffer.alloc(20, 0xff)]);
    expect(() => [...unpackBytes(packing, [damaged])]).toThrow(Unpackable);
  });
});

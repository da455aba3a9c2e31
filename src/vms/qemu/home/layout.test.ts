import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refused } from '../../../base/failures.ts';
import {
  definitionFolder,
  diskId,
  galleryLock,
  instanceFolder,
  instanceId,
  parseDiskId,
  parseProviderId,
  parseSnapshotId,
  parseVersionId,
  poolFolder,
  poolLock,
  poolNameOf,
  poolRef,
  providerId,
  snapshotFolder,
  snapshotId,
  versionFolder,
  versionId,
} from './layout.ts';

const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/);
const pool = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/);
const version = fc.tuple(fc.nat(9999), fc.nat(99), fc.nat(99)).map((parts) => parts.join('.'));
/** Input from a user or an attacker. */
const anything = fc.oneof(
  fc.string(),
  fc.constantFrom('..', '.', '', '../..', 'a/../../b', '/etc', 'a\0b', '.partial-x', '.deleting-x', 'x'.repeat(300)),
);

describe('names', () => {
  it('map to a direct subfolder, or are refused', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const places: [() => string, string][] = [
          [() => poolFolder('/home', text), '/home/pools'],
          [() => snapshotFolder('/home', text), '/home/snapshots'],
          [() => definitionFolder('/home', 'g', text), '/home/galleries/g'],
          [() => dirname(definitionFolder('/home', text, 'd')), '/home/galleries'],
          [() => versionFolder('/home', { gallery: 'g', definition: 'd', version: text }), '/home/galleries/g/d'],
          [() => instanceFolder('/home', { pool: poolRef('p'), id: text }), '/home/pools/p/instances'],
          [() => join('/locks', galleryLock(text)), '/locks'],
          [() => join('/locks', poolLock(text)), '/locks'],
        ];
        for (const [place, parent] of places) expect(folderOrRefusal(place)).toBeOneOf([parent, 'refused']);
      }),
    );
  });

  it('that are hidden are refused: those are reserved', () => {
    for (const hidden of ['.partial-a', '.deleting-b']) {
      expect(() => poolFolder('/home', hidden)).toThrow(Refused);
      expect(() => snapshotFolder('/home', hidden)).toThrow(Refused);
    }
  });
});

describe('ids', () => {
  it('are parsed back as they were written', () => {
    fc.assert(
      fc.property(name, name, version, pool, fc.nat(999_999), (gallery, definition, one, poolName, number) => {
        const image = { gallery, definition, version: one };
        expect(parseVersionId(versionId(image))).toEqual(image);
        expect(parseSnapshotId(snapshotId(gallery))).toBe(gallery);
        const ref = { pool: poolRef(poolName), id: instanceId(poolName, number) };
        expect(parseProviderId(providerId(ref))).toEqual(ref);
        expect(parseDiskId(diskId(ref))).toEqual(ref);
        expect(poolNameOf(ref.pool)).toBe(poolName);
      }),
    );
  });

  it('are valid host names', () => {
    fc.assert(
      fc.property(pool, fc.nat(999_999), (poolName, number) => {
        expect(instanceId(poolName, number)).toMatch(/^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/);
      }),
    );
  });

  it('of another kind are refused or parsed as undefined', () => {
    fc.assert(
      fc.property(anything, (text) => {
        expect(() => parseProviderId(text)).toThrow(Refused);
        expect(parseDiskId(text)).toBeUndefined();
        expect(parseVersionId(text)).toBeUndefined();
        expect(() => poolNameOf({ id: text, name: 'x' })).toThrow(Refused);
      }),
    );
  });
});

function folderOrRefusal(place: () => string): string {
  try {
    return dirname(place());
  } catch (error) {
    if (error instanceof Refused) return 'refused';
    throw error;
  }
}

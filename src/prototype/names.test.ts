import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkGalleryName,
  compareVersionNames,
  galleryName,
  prototypeDefinitionName,
  prototypeLabels,
  snapshotName,
} from './names.ts';

describe('compareVersionNames', () => {
  it('compares each part as an integer', () => {
    expect(['2026.10.9', '2026.2.10', '2026.10.10'].sort(compareVersionNames)).toEqual([
      '2026.2.10',
      '2026.10.9',
      '2026.10.10',
    ]);
  });
});

describe('galleryName', () => {
  it('replaces dashes and refuses a cluster name with other characters', () => {
    expect(galleryName('my-cluster')).toBe('SIG_my_cluster');
    for (const group of ['no spaces', '']) expect(() => galleryName(group)).toThrow(/does not make a gallery name/);
    expect(checkGalleryName('SIG_my.1')).toBe('SIG_my.1');
    for (const name of ['my-gallery', 'ends_', '.starts', 'g'.repeat(81)])
      expect(() => checkGalleryName(name)).toThrow(/is not a gallery name/);
    expect(() => galleryName('ends-')).toThrow(/does not make a gallery name/);
  });
});

describe('the names of a pool in Azure', () => {
  const CHARACTERS = [...'abcXYZ019-_.'];
  const name = (longest: number) =>
    fc
      .tuple(
        fc.constantFrom(...'aZ0'),
        fc.array(fc.constantFrom(...CHARACTERS), { maxLength: longest - 2 }),
        fc.constantFrom(...'aZ0_'),
      )
      .map(([first, middle, last]) => `${first}${middle.join('')}${last}`);

  it('are within its limits, however long the pool and the gallery are called', () => {
    fc.assert(
      fc.property(name(80), name(80), (pool, gallery) => {
        expect(snapshotName(pool)).toMatch(/^[A-Za-z0-9][\w.-]{0,78}\w$/);
        expect(prototypeDefinitionName(pool)).toMatch(/^kamino-[\w.-]{1,63}-prototype$/);
        const { offer, sku } = prototypeLabels(gallery, pool);
        for (const label of [offer, sku]) expect(label).toMatch(/^[\w.-]{1,64}$/);
      }),
    );
  });

  it('keep long names apart, and short ones readable', () => {
    const long = 'n'.repeat(63);
    expect(snapshotName('pool1')).toBe('headstart-pool1-prototype');
    expect(prototypeDefinitionName('pool1')).toBe('kamino-pool1-prototype');
    expect(snapshotName(`${long}a`)).not.toBe(snapshotName(`${long}b`));
    expect(prototypeDefinitionName(`${long}a`)).not.toBe(prototypeDefinitionName(`${long}b`));
  });
});

import { describe, expect, it } from 'vitest';
import { checkGalleryName, compareVersions, galleryName } from './names.ts';

describe('names', () => {
  it('of versions are compared as integers', () => {
    expect(['2026.10.9', '2026.2.10', '2026.10.10'].sort(compareVersions)).toEqual([
      '2026.2.10',
      '2026.10.9',
      '2026.10.10',
    ]);
  });

  it('of galleries have no dashes, and what cannot be one is refused', () => {
    expect(galleryName('my-cluster')).toBe('SIG_my_cluster');
    for (const group of ['no spaces', '']) expect(() => galleryName(group)).toThrow(/does not make a gallery name/);
    expect(checkGalleryName('SIG_my.1')).toBe('SIG_my.1');
    expect(() => checkGalleryName('my-gallery')).toThrow(/is not a gallery name/);
  });
});

import { describe, expect, it } from 'vitest';
import { compareVersionNames, galleryName } from './names.ts';

describe('names', () => {
  it('of versions are compared as integers', () => {
    expect(['2026.10.9', '2026.2.10', '2026.10.10'].sort(compareVersionNames)).toEqual([
      '2026.2.10',
      '2026.10.9',
      '2026.10.10',
    ]);
  });

  it('of galleries have no dashes, and what cannot be one is refused', () => {
    expect(galleryName('my-cluster')).toBe('SIG_my_cluster');
    expect(() => galleryName('no spaces')).toThrow(/does not make a gallery name/);
  });
});

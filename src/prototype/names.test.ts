import { describe, expect, it } from 'vitest';
import { checkGalleryName, compareVersionNames, datedSnapshotName, galleryName } from './names.ts';

describe('compareVersionNames', () => {
  it('compares each part as an integer', () => {
    expect(['2026.10.9', '2026.2.10', '2026.10.10'].sort(compareVersionNames)).toEqual([
      '2026.2.10',
      '2026.10.9',
      '2026.10.10',
    ]);
  });
});

describe('datedSnapshotName', () => {
  it.each(['headstart-pool1-prototype', `headstart-${'p'.repeat(64)}-prototype`])(
    'of %s is a name that Azure accepts',
    (usual) => {
      const name = datedSnapshotName(usual, '2026.11.15');
      expect(name).toMatch(/^headstart-p.*-2026\.11\.15$/);
      expect(name.length).toBeLessThanOrEqual(80);
      expect(name).not.toBe(datedSnapshotName(usual, '2026.11.16'));
    },
  );
});

describe('galleryName', () => {
  it('replaces dashes and refuses a cluster name with other characters', () => {
    expect(galleryName('my-cluster')).toBe('SIG_my_cluster');
    for (const group of ['no spaces', '']) expect(() => galleryName(group)).toThrow(/does not make a gallery name/);
    expect(checkGalleryName('SIG_my.1')).toBe('SIG_my.1');
    expect(() => checkGalleryName('my-gallery')).toThrow(/is not a gallery name/);
  });
});

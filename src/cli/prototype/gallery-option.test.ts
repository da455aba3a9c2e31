import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { chosenGallery, type GalleryNameOptions, withGalleryNameOption } from './gallery-option.ts';

function parse(...argv: string[]): GalleryNameOptions & { cluster?: boolean } {
  const command = withGalleryNameOption(new Command()).option('--no-cluster', 'no cluster');
  return command.parse(argv, { from: 'user' }).opts();
}

function choose(...argv: string[]): { gallery: string | undefined; warnings: string[] } {
  const warnings: string[] = [];
  return { gallery: chosenGallery(parse(...argv), { stderr: (text) => warnings.push(text) }), warnings };
}

describe('chosenGallery', () => {
  it('takes the name of --gallery as given', () => {
    expect(choose('--gallery', 'Images.prod')).toEqual({ gallery: 'Images.prod', warnings: [] });
    expect(choose()).toEqual({ gallery: undefined, warnings: [] });
  });

  it('accepts the old spelling with a warning that shows the new one', () => {
    expect(choose('--cluster', 'my-prod')).toEqual({
      gallery: 'SIG_my_prod',
      warnings: [
        'warning: --cluster my-prod is the old spelling of --gallery SIG_my_prod; use --gallery SIG_my_prod\n',
      ],
    });
  });

  it('refuses both spellings together, and a name that no gallery can have', () => {
    expect(() => choose('--cluster', 'a', '--gallery', 'b')).toThrow('both name the gallery');
    for (const name of ['my-prod', 'a b', '', '../x', 'x'.repeat(81)])
      expect(() => choose('--gallery', name)).toThrow(expect.objectContaining({ code: 'prototype/bad-gallery-name' }));
  });

  it('leaves --no-cluster alone, in either order', () => {
    const old = { clusterAsGallery: 'c', cluster: false };
    expect(parse('--no-cluster', '--cluster', 'c')).toEqual(old);
    expect(parse('--cluster', 'c', '--no-cluster')).toEqual(old);
    expect(parse('--cluster', 'c').cluster).toBeUndefined();
  });
});

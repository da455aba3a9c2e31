import { describe, expect, it } from 'vitest';
import { FETCH, LAYERS, PER_VERSION, SHARED } from './pipeline.ts';

const all = [...SHARED, ...PER_VERSION];

describe('the stages of a build', () => {
  it('lead from files through layers to an image and its record', () => {
    expect(all.map(({ id }) => id)).toEqual([
      ...['fetch', 'base-layer', 'shared-layer'],
      ...['root', 'version-files', 'disk', 'kernel-files', 'texts', 'checksums', 'record'],
    ]);
    expect(SHARED).toEqual([...FETCH, ...LAYERS]);
  });

  it('need only outputs of earlier stages', () => {
    const given = new Set<string>();
    for (const { id, needs, gives } of all) {
      expect(
        needs.filter((need) => !given.has(need)),
        id,
      ).toEqual([]);
      for (const name of gives) given.add(name);
    }
  });

  it('provide every output exactly once', () => {
    const given = all.flatMap(({ gives }) => gives);
    expect(given.toSorted()).toEqual(['base', 'content', 'disk', 'names', 'record', 'root', 'sums']);
  });
});

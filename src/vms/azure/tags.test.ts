import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tagsAfter } from './tags.ts';

describe('tags', () => {
  const tags = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'));
  const changes = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.option(fc.constantFrom('1', '2')));

  it('are the same after the same change is applied twice', () => {
    fc.assert(
      fc.property(tags, changes, (seen, change) => {
        const once = tagsAfter(seen, change) ?? seen;
        expect(tagsAfter(once, change)).toBeUndefined();
        for (const [name, value] of Object.entries(change)) expect(once[name] ?? null).toBe(value);
        for (const name of Object.keys(seen)) if (!(name in change)) expect(once[name]).toBe(seen[name]);
      }),
    );
  });
});

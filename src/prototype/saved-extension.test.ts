import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSavedExtension } from './saved-extension.ts';

describe('readSavedExtension', () => {
  const fields = { publisher: 'p', type: 't' };
  const settings = { commandToExecute: 'join' };

  it.each([
    ['Azure', { name: 'a', properties: { ...fields, provisionAfterExtensions: ['b'], settings } }, settings],
    ['the fake', { name: 'a', ...fields, after: ['b'], settings }, settings],
    ['a local pool', { name: 'a', ...fields, after: ['b'], script: 'join' }, { script: 'join' }],
  ])('reads the format of %s', (_provider, saved, expected) => {
    expect(readSavedExtension(saved)).toEqual({ name: 'a', ...fields, after: ['b'], settings: expected });
  });

  it('reads anything', () => {
    fc.assert(
      fc.property(fc.anything(), (saved) => {
        expect(typeof readSavedExtension(saved).name).toBe('string');
        expect(Array.isArray(readSavedExtension(saved).after)).toBe(true);
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { UserError } from '../src/base/errors.ts';
import { chooseParts, renderParts } from './parts.ts';

const KNOWN = { boot: { about: 'Analyse boots' }, 'what-if': { about: 'Predict' }, vms: { about: 'Start VMs' } };
const choose = (...words: string[]) => chooseParts(words, KNOWN, 'bench PARTS');

describe('the parts that are asked for', () => {
  it.each([
    { words: [], parts: ['boot', 'what-if', 'vms'] },
    { words: [''], parts: ['boot', 'what-if', 'vms'] },
    { words: ['vms'], parts: ['vms'] },
    { words: ['vms,boot'], parts: ['vms', 'boot'] },
    { words: ['vms, boot '], parts: ['vms', 'boot'] },
    { words: ['vms', 'boot'], parts: ['vms', 'boot'] },
    { words: ['vms,,vms'], parts: ['vms'] },
  ])('$words are $parts', ({ words, parts }) => {
    expect(choose(...words)).toEqual(parts);
  });

  it.each(['nonesuch', 'toString', 'boot,nonesuch', 'BOOT'])('%s is refused with the names there are', (word) => {
    expect(() => choose(word)).toThrow(UserError);
    expect(() => choose(word)).toThrow(/^the bench has no part \w+: expected boot, what-if, vms$/);
  });

  it('are listed on request', () => {
    expect(choose('help')).toBeUndefined();
    expect(renderParts(KNOWN)).toBe('  boot     Analyse boots\n  what-if  Predict\n  vms      Start VMs\n');
  });
});

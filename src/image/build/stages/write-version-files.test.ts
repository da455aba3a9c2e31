import { describe, expect, it } from 'vitest';
import { usedBytes } from './write-version-files.ts';

const facts = (blocks: string, free: string) =>
  `Filesystem volume name:   headstart\nBlock count:              ${blocks}\nFree blocks:              ${free}\nBlock size:               4096\n`;

describe('what a file system holds', () => {
  it('is what is not free of it', () => {
    expect(usedBytes(facts('1000', '400'))).toBe(600 * 4096);
  });

  it.each([
    ['nothing', ''],
    ['no number', facts('many', '1')],
    ['more free blocks than there are', facts('10', '20')],
    ['that all are free', facts('10', '10')],
  ])('is not known when dumpe2fs says %s', (_, text) => {
    expect(() => usedBytes(text)).toThrow('does not say how much is in use');
  });
});

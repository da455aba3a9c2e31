import { describe, expect, it } from 'vitest';
import { usedBytes } from './write-version-files.ts';

const facts = (blocks: string, free: string) =>
  `Filesystem volume name:   headstart\nBlock count:              ${blocks}\nFree blocks:              ${free}\nBlock size:               4096\n`;

describe('usedBytes', () => {
  it('subtracts free blocks from all blocks', () => {
    expect(usedBytes(facts('1000', '400'))).toBe(600 * 4096);
  });

  it.each([
    ['nothing', ''],
    ['is no number', facts('many', '1')],
    ['has more free blocks than blocks', facts('10', '20')],
    ['has only free blocks', facts('10', '10')],
  ])('throws if the output %s', (_, text) => {
    expect(() => usedBytes(text)).toThrow('does not report the used blocks');
  });
});

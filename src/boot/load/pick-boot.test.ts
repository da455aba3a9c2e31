import { describe, expect, it } from 'vitest';
import { bootRecord } from '../testing.ts';
import { pickBoot } from './pick-boot.ts';

const boots = ['a', 'b', 'c'].map((letter) => bootRecord({ bootId: letter.repeat(32) }));

describe('pickBoot', () => {
  it.each([
    ['0', 2],
    ['-1', 1],
    ['-2', 0],
    ['1', 0],
    ['3', 2],
    ['bbbb', 1],
    ['CCCCCCCC-CCCC-CCCC-CCCC-CCCCCCCCCCCC', 2],
  ])('resolves --boot %s', (which, index) => {
    expect(pickBoot(boots, which)).toBe(boots[index]);
  });

  it.each(['-3', '4', 'dddd', 'bb', ''])('rejects --boot %j and lists the known boots', (which) => {
    expect(() => pickBoot(boots, which)).toThrow(/known: -2 \(a+\), -1 \(b+\), 0 \(c+\)/);
  });
});

import { describe, expect, it } from 'vitest';
import { compareComponentVersions } from './compare-versions.ts';

describe('compareComponentVersions of a binary', () => {
  it.each([
    ['1.35.9', '1.35.10', -1],
    ['v1.2.0', '1.2.0', 0],
    ['1.2.0-rc.1', '1.2.0', -1],
    ['1.2.0+build2', '1.2.0+build1', 0],
  ])('compares %s with %s', (a, b, sign) => expect(Math.sign(compareComponentVersions('binary', a, b))).toBe(sign));
});

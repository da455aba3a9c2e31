import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkUpgrade } from './upgrade.ts';

const may = (from: string, to: string) => {
  try {
    checkUpgrade('lab', from, to);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'cluster/other-version', exitCode: 2 });
    return false;
  }
};

describe('another version of Kubernetes', () => {
  it.each([
    ['v1.35.8', 'v1.35.8', true],
    ['v1.35.8', 'v1.35.10', true],
    ['v1.35.8', 'v1.36.0', true],
    ['v1.35.10', 'v1.35.9', false],
    ['v1.35.8', 'v1.34.11', false],
    ['v1.35.8', 'v1.37.0', false],
    ['v1.9.8', 'v1.10.0', true],
  ])('from %s to %s: %s', (from, to, expected) => {
    expect(may(from, to)).toBe(expected);
  });

  it('is never allowed in both directions', () => {
    const version = fc.tuple(fc.nat(99), fc.nat(99)).map(([minor, patch]) => `v1.${minor}.${patch}`);
    fc.assert(fc.property(version, version, (a, b) => a === b || !(may(a, b) && may(b, a))));
  });
});

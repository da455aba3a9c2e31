import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareDebian } from './debian-version.ts';

describe('compareDebian', () => {
  it.each([
    ['1.0', '1.0', 0],
    ['1.9', '1.10', -1],
    ['1.0~rc1', '1.0', -1],
    ['1.0~~', '1.0~', -1],
    ['1.0', '1.0-1', -1],
    ['1.0', '1.0-0', 0],
    ['1.0-1', '1.0-1+deb12u1', -1],
    ['1.0-1+deb12u2', '1.0-1+deb12u10', -1],
    ['2.0', '1:1.0', -1],
    ['0:1.0', '1.0', 0],
    ['1.0a', '1.0+', -1],
    ['1.6.20~ds1-1+deb12u1', '1.6.20~ds1-1+deb12u3', -1],
    ['1.0-1-1', '1.0-1-2', -1],
    ['20240101000000000000001', '20240101000000000000002', -1],
    ['1.007', '1.7', 0],
  ])('orders %s and %s as dpkg does', (a, b, sign) => {
    expect(Math.sign(compareDebian(a, b))).toBe(sign);
    expect(Math.sign(compareDebian(b, a))).toBe(sign === 0 ? 0 : -sign);
  });

  const version = fc.stringMatching(/^(?:[0-3]:)?[0-9][0-9a-z.+~-]{0,8}$/);
  it('is a total order', () => {
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(compareDebian(a, a)).toBe(0);
        expect(Math.sign(compareDebian(a, b))).toBe(0 - Math.sign(compareDebian(b, a)));
        if (compareDebian(a, b) <= 0 && compareDebian(b, c) <= 0) expect(compareDebian(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });
});

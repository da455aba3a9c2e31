import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fnmatch } from './fnmatch.ts';

test.each([
  ['*.target', 'a.target', true],
  ['*.target', 'a.target.wants', false],
  ['u?.service', 'u1.service', true],
  ['u?.service', 'u12.service', false],
  ['u[0-3].service', 'u2.service', true],
  ['u[!0-3].service', 'u2.service', false],
  ['u[].service', 'u[].service', true],
  ['*\\\\x2d*', 'dev-disk-by\\x2duuid', true],
  ['by\\x2d*', 'by\\x2duuid', false],
  ['a*b*c', 'aXXbYYbc', true],
  ['', '', true],
  ['*', '', true],
])('fnmatch of %s and %s is %s', (pattern, name, isMatch) => {
  expect(fnmatch(pattern, name)).toBe(isMatch);
});

test('fnmatch matches a fully escaped name, and stars match anything', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), fc.string({ maxLength: 30 }), (a, b) => {
      const literal = [...a.split('')].map((c) => `\\${c}`).join('');
      expect(fnmatch(literal, a)).toBe(true);
      expect(fnmatch(`*${literal}*`, b + a + b)).toBe(true);
      fnmatch(a, b);
    }),
  );
});

import { expect, test } from 'vitest';
import { cFixed } from './fixed.ts';

test.each([
  [0.0625, 3, '0.062'],
  [0.1875, 3, '0.188'],
  [252.9125, 3, '252.912'],
  [-0.0625, 3, '-0.062'],
  [2.5, 0, '2'],
  [3.5, 0, '4'],
  [0.25, 1, '0.2'],
  [1.0004, 3, '1.000'],
  [2791.1142, 3, '2791.114'],
])('cFixed formats %f with %i decimals as %s', (value, decimals, text) => {
  expect(cFixed(value, decimals)).toBe(text);
});

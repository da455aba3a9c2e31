import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { floatRepr, pythonFixed, seconds08 } from './python-numbers.ts';

describe('Python numbers', () => {
  it.each([
    [0.015625, '0.01562'],
    [0.046875, '0.04688'],
    [-0.015625, '-0.01562'],
    [120.5, '120.50000'],
    [1e22, '10000000000000000000000.00000'],
  ])('pythonFixed formats %f with five decimals, rounding exact halves to even', (value, expected) => {
    expect(pythonFixed(value, 5)).toBe(expected);
  });

  it.each([
    [0.1, '00.10000'],
    [120.5, '120.50000'],
    [-2, '-2.00000'],
    [-0.000001, '-0.00000'],
  ])('seconds08 formats %f with a width of eight', (value, expected) => {
    expect(seconds08(value)).toBe(expected);
  });

  it.each([
    [1, '1.0'],
    [1e16, '1e+16'],
    [1e-5, '1e-05'],
    [6.684228897094727, '6.684228897094727'],
    [-0, '-0.0'],
  ])('floatRepr formats %d', (value, expected) => {
    expect(floatRepr(value)).toBe(expected);
  });

  it('round-trip to the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (value) => {
        expect(Number(floatRepr(value).replace('inf', 'Infinity'))).toBe(value);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBytes, parseCpu } from './quantity.ts';

describe('the quantity parser', () => {
  it.each([
    ['0', 0],
    ['255Mi', 255 * 2 ** 20],
    ['1.5Gi', 1.5 * 2 ** 30],
    ['1k', 1000],
    ['0.0001k', 0],
    ['1.5', 1],
  ])('reads memory %s as %d whole bytes', (text, bytes) => {
    expect(parseBytes(text)).toBe(bytes);
  });

  it.each(['', 'Mi', '1KI', '1K', '-1', '1e3', '1 Mi', '1Mi\n', '.5Mi', '999999999999999Ti'])(
    'refuses %j as memory',
    (text) => {
      expect(parseBytes(text)).toBeUndefined();
    },
  );

  it.each([
    ['100m', 100],
    ['1.5', 1500],
    ['0.001', 1],
    ['2', 2000],
  ])('reads CPU %s as %d millicores', (text, millis) => {
    expect(parseCpu(text)).toBe(millis);
  });

  it.each(['', 'm', '1.5m', '1.0001', '-1', '1 m', '1c'])('refuses %j as CPU', (text) => {
    expect(parseCpu(text)).toBeUndefined();
  });

  it('gives the same result for millicores and cores', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999 }), (millis) => {
        expect(parseCpu(`${millis}m`)).toBe(parseCpu((millis / 1000).toFixed(3)));
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBytes, parseCpu } from './quantity.ts';

describe('a quantity', () => {
  it.each([
    ['0', 0],
    ['255Mi', 255 * 2 ** 20],
    ['1.5Gi', 1.5 * 2 ** 30],
    ['1k', 1000],
    ['0.0001k', 0],
    ['1.5', 1],
  ])('of memory %s is %d bytes, whole ones', (text, bytes) => {
    expect(parseBytes(text)).toBe(bytes);
  });

  it.each(['', 'Mi', '1KI', '1K', '-1', '1e3', '1 Mi', '1Mi\n', '.5Mi', '999999999999999Ti'])(
    'of memory is not %j',
    (text) => {
      expect(parseBytes(text)).toBeUndefined();
    },
  );

  it.each([
    ['100m', 100],
    ['1.5', 1500],
    ['0.001', 1],
    ['2', 2000],
  ])('of CPU %s is %d thousandths', (text, millis) => {
    expect(parseCpu(text)).toBe(millis);
  });

  it.each(['', 'm', '1.5m', '1.0001', '-1', '1 m', '1c'])('of CPU is not %j', (text) => {
    expect(parseCpu(text)).toBeUndefined();
  });

  it('means the same in thousandths and in cores', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999 }), (millis) => {
        expect(parseCpu(`${millis}m`)).toBe(parseCpu((millis / 1000).toFixed(3)));
      }),
    );
  });
});

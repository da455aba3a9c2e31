import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import { parseSealed, renderSealed } from './sealed-json.ts';

/** Plain data with revealed secrets. */
function bare(value: unknown): unknown {
  if (value instanceof Secret) return { revealed: value.reveal() };
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, bare(one)]));
}

describe('sealed JSON', () => {
  it('distinguishes a secret from text that looks like one', () => {
    const looksLike = fc.object({
      key: fc.constantFrom('$secret', '$secret$', 'a'),
      values: [fc.constantFrom('$secret', 'x', 1)],
    });
    fc.assert(
      fc.property(looksLike, fc.string(), (value, text) => {
        const whole = { value, secrets: [new Secret(text), { deeper: new Secret(text) }] };
        expect(bare(parseSealed(renderSealed(whole)))).toEqual(bare(whole));
      }),
    );
  });

  it('does not change an object with a mark that is not a string', () => {
    expect(parseSealed('"$secret"\n{"a":{"$secret":1}}')).toEqual({ a: { $secret: 1 } });
  });

  it.each(['', '{}', '7\n{}', '"$secret"', '"$secret"\n', '"$secret"\n{"a":'])('cannot be parsed from %j', (text) => {
    expect(() => parseSealed(text)).toThrow(SyntaxError);
  });
});

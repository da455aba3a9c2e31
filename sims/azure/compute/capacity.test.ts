import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capacityOf, requireCapacity } from './capacity.ts';

const set = (capacity: string | number | undefined, singlePlacementGroup = false) => ({
  name: 'pool1',
  top: capacity === undefined ? {} : { sku: { capacity } },
  properties: { singlePlacementGroup },
});

describe('the capacity of a scale set', () => {
  it('is 0 where none is given', () => {
    expect(capacityOf(set(undefined))).toBe(0);
    expect(() => requireCapacity(set(undefined))).not.toThrow();
  });

  it('is a whole number from 0 to 1000, or to 100 in one placement group', () =>
    fc.assert(
      fc.property(
        fc.oneof(fc.integer(), fc.integer({ min: -5, max: 1100 }), fc.double()),
        fc.boolean(),
        (n, single) => {
          const isAllowed = Number.isInteger(n) && n >= 0 && n <= (single ? 100 : 1000);
          const ask = () => requireCapacity(set(n, single));
          if (isAllowed) expect(ask).not.toThrow();
          else expect(ask).toThrow();
        },
      ),
    ));

  it.each(['3', '', 'many'])('is never the text %j', (text) => {
    expect(() => requireCapacity(set(text))).toThrow("'sku.capacity' is invalid");
  });
});

import { describe, expect, it } from 'vitest';
import { readPrices, unitOf } from './prices.ts';

const sizes = { frozen: { memoryBytes: 0, diskBytes: 4e9 }, paused: { memoryBytes: 2e9, diskBytes: 1e9 } };

describe('readPrices', () => {
  it('accepts what the documentation shows', () => {
    const prices = { currency: 'EUR', diskGbHour: 0.1, tiers: { paused: { perHour: 1 }, frozen: { diskGb: 4 } } };
    expect(readPrices(prices)).toEqual({ prices });
  });

  it('reports every problem with its path', () => {
    const broken = { currency: 'euros', tiers: { frozen: { perHour: -1, per: 2 } } };
    expect(readPrices(broken)).toEqual({
      problems: [
        'currency: is not a currency such as EUR',
        'tiers.frozen.perHour: -1 is below 0',
        'tiers.frozen.per: is not a field of this version',
      ],
    });
  });
});

describe('unitOf', () => {
  it('adds up what the node, its memory and its disk cost', () => {
    const prices = { currency: 'EUR', memoryGbHour: 1, diskGbHour: 0.5, tiers: { paused: { perHour: 3 } } };
    expect(unitOf(['paused', 'frozen'], prices, sizes).unit).toEqual({
      kind: 'money',
      currency: 'EUR',
      perHour: { paused: 5.5, frozen: 2 },
    });
  });

  it('counts memory and disk if the price of a tier is unknown, never 0', () => {
    const prices = { currency: 'EUR', tiers: { paused: { perHour: 3 } } };
    expect(unitOf(['paused', 'frozen'], prices, sizes)).toEqual({
      unit: { kind: 'bytes', sizes },
      why: 'the price of frozen is unknown: memory and disk are counted',
    });
  });

  it('does not price a disk of unknown size', () => {
    const prices = { currency: 'EUR', diskGbHour: 1, tiers: { frozen: {} } };
    expect(unitOf(['frozen'], prices, {}).unit).toEqual({ kind: 'nodes' });
  });

  it('counts nodes if nothing is known of them', () => {
    expect(unitOf(['frozen'], undefined, {})).toEqual({
      unit: { kind: 'nodes' },
      why: 'no prices were given (--prices), and the size of a frozen node is unknown: nodes are counted',
    });
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import type { Version } from '../../vms/gallery.ts';
import { ASSUMED_PRICES, flatPrice, parsePrices, storageCost } from './cost.ts';

const TABLE = { asOf: '2026-10-01', status: 'price list', currency: 'EUR', perGbMonth: { local: 0.04, zone: 0.05 } };

describe('the price table', () => {
  it('that is built in has a date and states that the prices were not looked up', () => {
    expect(ASSUMED_PRICES.asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(ASSUMED_PRICES.status).toBe('not looked up; override with --prices FILE');
  });

  it('is read unchanged', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.double({ min: 0, max: 100, noNaN: true }),
        (local, zone) => {
          const table = { ...TABLE, perGbMonth: { local, zone } };
          expect(parsePrices(JSON.stringify(table), 'x')).toEqual(JSON.parse(JSON.stringify(table)));
        },
      ),
    );
  });

  it('does not claim to be looked up if it has no status', () => {
    const { status: _, ...silent } = TABLE;
    expect(parsePrices(JSON.stringify(silent), 'x').status).toBe('as in the file');
  });

  it('is refused with all problems at once, each with its path', () => {
    const bad = { asOf: 'yesterday', currency: 'euros', perGbMonth: { local: -1 }, extra: 1 };
    expect(() => parsePrices(JSON.stringify(bad), 'mine.json')).toThrow(
      /mine\.json .*asOf: .*currency: .*perGbMonth\.local: .*perGbMonth\.zone: .*extra/,
    );
  });

  it('is refused, never misread, for any content of the file', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(() => parsePrices(text, 'x')).toThrow(UserError);
      }),
    );
  });

  it('has one price for all redundancies if one price is given', () => {
    expect(flatPrice(0.07)).toMatchObject({ asOf: 'given', perGbMonth: { local: 0.07, zone: 0.07 } });
  });
});

const version = (name: string, more: Partial<Version> = {}): Version => ({
  name,
  id: `/g/d/versions/${name}`,
  state: 'ready',
  percent: 100,
  isExcludedFromLatest: false,
  replicas: 3,
  redundancy: 'zone',
  sizeGb: 30,
  createdMs: 0,
  tags: {},
  ...more,
});

describe('storageCost', () => {
  it('adds up versions × size × replicas', () => {
    const prices = { asOf: '', currency: 'USD', perGbMonth: { zone: 0.1, local: 0.05 } };
    const { perMonth } = storageCost(
      [version('1.1.1'), version('1.1.2', { redundancy: 'local', replicas: 1 })],
      prices,
    );
    expect(perMonth).toBeCloseTo(30 * 3 * 0.1 + 30 * 0.05);
  });
});

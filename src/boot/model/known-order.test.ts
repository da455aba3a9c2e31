import { describe, expect, it } from 'vitest';
import { unit } from '../testing.ts';
import { hasOrdering, isOrderKnown, orderedUnits } from './known-order.ts';

describe('orderedUnits', () => {
  it('has units with an ordering, and those that are named in one', () => {
    const units = [unit('a.service', 1, 1), unit('b.service', 2, 1, ['a.service']), unit('c.service', 1, 1)];
    expect([...orderedUnits({ units })].sort()).toEqual(['a.service', 'b.service']);
  });

  it('counts Before= and aliases', () => {
    const units = [{ ...unit('a.service', 1, 1), aliases: ['x.service'], before: ['z.target'] }];
    expect([...orderedUnits({ units })].sort()).toEqual(['a.service', 'x.service', 'z.target']);
  });
});

describe('hasOrdering', () => {
  it('is false for times of units without any ordering, as a journal gives them', () => {
    expect(hasOrdering({ units: [unit('a.service', 1, 1), unit('b.service', 2, 1)] })).toBe(false);
    expect(hasOrdering({ units: [unit('a.service', 1, 1), unit('b.service', 2, 1, ['a.service'])] })).toBe(true);
  });

  it('is true for logs without units, whose stages run in sequence', () => {
    expect(hasOrdering({ units: [] })).toBe(true);
  });
});

describe('isOrderKnown', () => {
  it('knows that a unit of a full listing has no ordering', () => {
    const units = [unit('a.service', 1, 1), unit('b.service', 2, 1, ['a.service']), unit('c.device', 1, 1)];
    expect(isOrderKnown({ units })('c.device')).toBe(true);
  });

  it('knows only the units of a pasted chain if other units come from a journal', () => {
    const units = [
      unit('b.service', 2, 1, ['a.service']),
      ...['a', 'c', 'd', 'e'].map((name) => unit(`${name}.service`, 1, 1)),
    ];
    expect([isOrderKnown({ units })('a.service'), isOrderKnown({ units })('c.service')]).toEqual([true, false]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refused } from '../../base/failures.ts';
import { type GroupFacts, planDecrease, planDeletion, planIncrease, targetSize } from './plan-sizes.ts';

const facts = (changes: Partial<GroupFacts> & { count?: number; protectedIds?: string[] } = {}): GroupFacts => {
  const { count = 0, protectedIds = [], ...rest } = changes;
  const ids = Array.from({ length: count }, (_, at) => `web-${at + 1}`);
  return {
    ...{ min: 0, max: 10, unseen: 0, pending: [] },
    instances: ids.map((id) => ({ id, isProtected: protectedIds.includes(id) })),
    ...rest,
  };
};

/** Any group within its limits, or smaller than its minimum. */
const groups = fc
  .record({ min: fc.nat(5), span: fc.nat(6), count: fc.nat(11), more: fc.nat(6), unseen: fc.nat(3) })
  .map(({ min, span, count, more, unseen }) => {
    const max = min + span;
    const have = Math.min(count, max);
    const requested = Math.min(have + more, max);
    const pending = Array.from({ length: requested - have }, (_, at) => `pending-${at}`);
    return facts({ min, max, count: have, requested, pending, unseen: Math.min(unseen, requested - have) });
  });

describe('the target size', () => {
  it('is what was requested until the pool has it, then what the pool has', () => {
    expect(targetSize(facts({ count: 1, requested: 3 }))).toBe(3);
    expect(targetSize(facts({ count: 4, requested: 3 }))).toBe(4);
    expect(targetSize(facts({ count: 2 }))).toBe(2);
  });

  it('stays within a maximum that was lowered after the request', () => {
    expect(targetSize(facts({ count: 1, requested: 8, max: 3 }))).toBe(3);
  });

  it('is never brought above the maximum or below the minimum by any call', () => {
    const calls = fc.oneof(
      fc.integer({ min: -3, max: 14 }).map((delta) => (group: GroupFacts) => planIncrease(group, delta)),
      fc.integer({ min: -14, max: 3 }).map((delta) => (group: GroupFacts) => planDecrease(group, delta)),
      fc
        .subarray(['web-1', 'web-2', 'web-3', 'web-4', 'web-5', 'pending-0', 'pending-1', 'pending-2'])
        .map((ids) => (group: GroupFacts) => planDeletion(group, ids).target),
    );
    fc.assert(
      fc.property(groups, calls, (group, call) => {
        const before = targetSize(group);
        const after = orRefused(() => call(group)) ?? before;
        expect(after).toBeLessThanOrEqual(Math.max(group.max, before));
        expect(after).toBeGreaterThanOrEqual(Math.min(group.min, before));
      }),
    );
  });
});

describe('a request that is taken back', () => {
  it('leaves nodes that exist or are being made', () => {
    expect(planDecrease(facts({ count: 1, requested: 4, unseen: 1 }), -2)).toBe(2);
    expect(() => planDecrease(facts({ count: 1, requested: 4, unseen: 1 }), -3)).toThrow('2 nodes exist');
    expect(() => planDecrease(facts({ count: 3 }), -1)).toThrow('3 nodes exist');
  });

  it.each([0, 1, -1.5, Number.NaN])('cannot have a delta of %d', (delta) => {
    expect(() => planDecrease(facts({ count: 1, requested: 4 }), delta)).toThrow(Refused);
  });
});

describe('a deletion', () => {
  it('deletes nothing when one of the nodes is protected', () => {
    expect(() => planDeletion(facts({ count: 2, protectedIds: ['web-2'] }), ['web-1', 'web-2'])).toThrow(
      'protected from scale-in: web-2; nothing was deleted',
    );
  });

  it('deletes nothing when fewer than the minimum would stay', () => {
    expect(() => planDeletion(facts({ count: 2, min: 1 }), ['web-1', 'web-2'])).toThrow('below the minimum of 1');
  });

  it('drops a failed request, but tries it again when the minimum needs it', () => {
    const group = facts({ count: 1, requested: 2, pending: ['p'] });
    expect(planDeletion(group, ['p'])).toEqual({ instances: [], pending: ['p'], target: 1 });
    expect(planDeletion({ ...group, min: 2 }, ['p'])).toEqual({ instances: [], pending: ['p'], target: 2 });
  });

  it('repeated, changes nothing more', () => {
    fc.assert(
      fc.property(groups, fc.subarray(['web-1', 'web-3', 'pending-0', 'pending-1', 'other']), (group, ids) => {
        const first = orRefused(() => planDeletion(group, ids));
        if (!first) return;
        const after: GroupFacts = {
          ...group,
          instances: group.instances.filter(({ id }) => !first.instances.includes(id)),
          pending: group.pending.filter((id) => !first.pending.includes(id)),
          requested: first.target,
        };
        expect(planDeletion(after, ids)).toEqual({ instances: [], pending: [], target: targetSize(after) });
      }),
    );
  });
});

function orRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    expect(error).toBeInstanceOf(Refused);
    return undefined;
  }
}

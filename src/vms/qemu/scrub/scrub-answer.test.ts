import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scrubProblems } from './scrub-answer.ts';

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/);
const names = fc.uniqueArray(name, { minLength: 1 });
const answerOf = (items: readonly string[]) => items.map((item) => `${item}=ok\n`).join('');

describe('scrubProblems', () => {
  it('is empty when every item is reported, in any order, among other lines', () => {
    fc.assert(
      fc.property(names, fc.string(), (items, noise) => {
        const other = noise.replaceAll('=', ' ');
        expect(scrubProblems(`${other}\n${answerOf(items.toReversed())}`, items)).toEqual([]);
      }),
    );
  });

  it('lists an item that is missing or truncated', () => {
    fc.assert(
      fc.property(names, fc.nat(), (items, nth) => {
        const index = nth % items.length;
        const without = scrubProblems(answerOf(items.toSpliced(index, 1)), items);
        expect(without).toEqual([`${items[index]}: not reported as done`]);
        expect(scrubProblems(answerOf(items).slice(0, -3), items)).toHaveLength(1);
      }),
    );
  });

  it('lists failed items with their reasons, and not the items after them', () => {
    expect(scrubProblems('disk=ok\nmount=failed no such device \n', ['disk', 'mount', 'unmount'])).toEqual([
      'mount: no such device',
    ]);
    expect(scrubProblems('', ['disk'])).toEqual(['disk: not reported as done']);
  });
});

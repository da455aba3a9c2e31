import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextOf } from './extensions.ts';

// up.test.ts tests that each runs once.
describe('the order of extensions', () => {
  it('puts each extension after its dependencies, except in cycles and for unknown names', () => {
    const names = ['a', 'b', 'c', 'd'];
    const all = fc.uniqueArray(
      fc.record({ name: fc.constantFrom(...names), after: fc.subarray([...names, 'stranger']) }),
      {
        selector: ({ name }) => name,
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(all, (given) => {
        const rest = { publisher: 'p', type: 't', script: '' };
        let open = given.map((one) => ({ extension: { ...rest, ...one }, state: 'waiting' as const }));
        const isWaited = (after: string[]) => after.some((one) => open.some(({ extension }) => extension.name === one));
        const order: string[] = [];
        for (let next = nextOf(open); next; next = nextOf(open)) {
          const { name, after } = next.extension;
          if (open.some(({ extension }) => !isWaited(extension.after))) expect(isWaited(after)).toBe(false);
          order.push(name);
          open = open.filter(({ extension }) => extension.name !== name);
        }
        expect(order.sort()).toEqual(given.map(({ name }) => name).sort());
      }),
    );
  });
});

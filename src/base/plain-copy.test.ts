import { expect, it } from 'vitest';
import { plainCopy } from './plain-copy.ts';

it('copies nested plain data, so that a change of the copy leaves the original alone', () => {
  const original = { a: [1, { b: 'x' }], c: null, d: undefined };
  const copy = plainCopy(original);
  expect(copy).toEqual(original);
  (copy.a[1] as { b: string }).b = 'y';
  expect(original.a).toEqual([1, { b: 'x' }]);
});

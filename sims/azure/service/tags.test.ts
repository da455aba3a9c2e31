import { describe, expect, it } from 'vitest';
import { tagsOf } from './tags.ts';

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, 'x']));

describe('the tags of a request', () => {
  it('are its texts, and none where there are none', () => {
    expect(tagsOf({ tags: { a: 'b', n: 1 } })).toEqual({ a: 'b' });
    expect(tagsOf({})).toEqual({});
  });

  it('may be as many and as long as the service takes', () => {
    expect(Object.keys(tagsOf({ tags: many(50) }))).toHaveLength(50);
    expect(tagsOf({ tags: { ['n'.repeat(512)]: 'v'.repeat(256) } })).toBeDefined();
  });

  it.each([
    ['a name with a slash', { 'a/b': 'x' }, 'is not allowed'],
    ['a name that is too long', { ['n'.repeat(513)]: 'x' }, 'is not allowed'],
    ['a value that is too long', { a: 'v'.repeat(257) }, 'longer than 256'],
    ['too many of them', many(51), 'at most 50'],
  ])('are refused with %s', (_, tags, message) => {
    expect(() => tagsOf({ tags })).toThrow(message);
  });
});

import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { checkValue } from './check.ts';

const schema = z.strictObject({
  name: z.string().check(z.maxLength(5)),
  size: z.optional(z.int().check(z.minimum(1), z.maximum(9))),
  mode: z.optional(z.enum(['auto', 'off'])),
  limit: z.optional(z.union([z.int(), z.strictObject({ level: z.number() })])),
  list: z.optional(z.array(z.strictObject({ key: z.string() })).check(z.maxLength(2))),
});

describe('a valid value', () => {
  it('is returned with defaults and without remarks', () => {
    expect(checkValue(schema, { name: 'a', size: 3 })).toEqual({
      value: { name: 'a', size: 3 },
      problems: [],
      missing: [],
      unknown: [],
    });
  });
});

describe('an invalid value', () => {
  it('has all problems at once, each with its path', () => {
    const { value, problems } = checkValue(schema, { name: 'too long', size: 0, list: [{ key: 1 }] });
    expect(value).toBeUndefined();
    expect(problems).toEqual([
      { path: 'name', message: 'is longer than 5 characters' },
      { path: 'size', message: '0 is below 1' },
      { path: 'list[0].key', message: 'expected text, got 1' },
    ]);
  });

  it.each([
    [{ name: ['a'] }, 'expected text, got a list'],
    [{ name: null }, 'expected text, got null'],
    [{ name: { a: 1 } }, 'expected text, got a map'],
    [{ name: 'a', size: '3' }, 'expected a number, got text'],
    [{ name: 'a', size: true }, 'expected a number, got true or false'],
    [{ name: 'a', size: 10 }, '10 is above 9'],
    [{ name: 'a', list: {} }, 'expected a list, got a map'],
    [{ name: 'a', list: [{ key: 'a' }, { key: 'b' }, { key: 'c' }] }, 'has more than 2 entries'],
    [{ name: 'a', mode: 'secret' }, 'is not one of auto, off'],
    [{ name: 'a', limit: { level: 'secret' } }, 'expected a number, got text'],
    [{ name: 'a', limit: 'secret' }, 'expected a number, got text'],
  ])('%j is reported as: %s', (value, message) => {
    expect(checkValue(schema, value).problems.map((problem) => problem.message)).toEqual([message]);
  });

  it('is never quoted if it is text, which may be a secret in the wrong field', () => {
    const checked = checkValue(schema, { name: 'hunter2hunter2', size: 'hunter2', mode: 'hunter2', limit: 'hunter2' });
    expect(checked.problems).toHaveLength(4);
    expect(JSON.stringify(checked)).not.toContain('hunter2');
  });
});

describe('a required field', () => {
  it('is listed as missing, because another layer may set it', () => {
    expect(checkValue(schema, {})).toMatchObject({ problems: [], missing: [{ path: 'name', message: 'is missing' }] });
  });

  it('is a problem if it is missing in a list entry, which no other layer can complete', () => {
    expect(checkValue(schema, { name: 'a', list: [{}] })).toMatchObject({
      problems: [{ path: 'list[0].key', message: 'is missing' }],
      missing: [],
    });
  });
});

describe('an unknown field', () => {
  it('is listed separately, and does not hide other problems', () => {
    const { value, problems, unknown } = checkValue(schema, { name: 'a', nmae: 'b', list: [{ key: 1, kye: 2 }] });
    expect(value).toBeUndefined();
    expect(unknown.map(({ path }) => path).sort()).toEqual(['list[0].kye', 'nmae']);
    expect(problems.map(({ path }) => path)).toEqual(['list[0].key']);
  });

  it('is not in the value', () => {
    expect(checkValue(schema, { name: 'a', nmae: 'b' }).value).toEqual({ name: 'a' });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../schema/json.ts';
import { hasReservedKey, parseText } from './parse-text.ts';

const resultOf = async (text: string) => {
  const parsed = await parseText(text);
  return 'value' in parsed ? parsed.value : parsed.problem.reason;
};
const messageOf = async (text: string) => {
  const parsed = await parseText(text);
  return 'problem' in parsed ? parsed.problem.message : undefined;
};

describe('parseText', () => {
  it('gives the same result for JSON and YAML', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), async (object) => {
        const value = JSON.parse(JSON.stringify(object)) as Json;
        expect(await resultOf(JSON.stringify(value))).toEqual(value);
      }),
      { numRuns: 50 },
    );
    expect(await resultOf('a: 1\nb: [x, true, null]\n')).toEqual({ a: 1, b: ['x', true, null] });
    expect(await resultOf('{a: 1, b: x}')).toEqual({ a: 1, b: 'x' });
  });

  it('returns only JSON values', async () => {
    expect(await resultOf('a: 2026-01-01\nb: .inf\nc:\n')).toEqual({ a: '2026-01-01', b: 'Infinity', c: null });
  });

  it.each([
    ['empty text', ' \n', 'is empty'],
    ['text for cloud-init', '#cloud-config\na: 1\n', 'is for cloud-init, not a NodeConfig'],
    ['a script', '#!/bin/sh\n', 'is for cloud-init, not a NodeConfig'],
  ])('does not accept %s as a NodeConfig', async (_, text, message) => {
    expect([await resultOf(text), await messageOf(text)]).toEqual(['config/not-a-node-config', message]);
  });

  it('reports where a truncated text ends, without quoting it', async () => {
    expect(await resultOf('a:\n  b: "hunter2')).toBe('config/truncated');
    expect(await messageOf('a:\n  b: "hunter2')).toBe('is truncated at line 2');
    expect(await resultOf('{"a": {"b": 1}')).toBe('config/truncated');
  });

  it.each([
    ['broken YAML', 'a: 1\n b: 2\nc: 3\n'],
    ['two documents', 'a: 1\n---\nb: 2\n'],
    ['a tag', 'a: !!binary aGk=\nb: 1\n'],
    ['the same key twice', 'a: 1\na: 2\nb: 1\n'],
    ['nesting that is too deep', `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`],
    [
      'aliases without end',
      `a: &a [1,1,1,1,1,1,1,1,1]\n${[...'bcdefgh'].map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefg'[i]}`).join(',')}]`).join('\n')}\n`,
    ],
  ])('refuses %s', async (_, text) => {
    expect(await resultOf(text)).toBe('config/not-readable');
  });

  it('returns a value or a problem for any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        const parsed = await parseText(text);
        expect('value' in parsed || parsed.problem.path === '').toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('hasReservedKey', () => {
  it('finds the key at any depth, and only as a field name', () => {
    expect(hasReservedKey(JSON.parse('{"a":[{"__proto__":1}]}'))).toBe(true);
    expect(hasReservedKey({ a: '__proto__', b: [1, null] })).toBe(false);
  });
});

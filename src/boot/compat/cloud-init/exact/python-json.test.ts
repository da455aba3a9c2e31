import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ToolCrash } from './compat-crash.ts';
import { byCodePoint, dumpsJson, loadsJson } from './python-json.ts';

describe('Python JSON', () => {
  it('distinguishes 1 from 1.0, sorts keys and escapes non-ASCII characters', () => {
    const value = loadsJson('{"b": 1.0, "a": [1, {}, []], "ü": 12345678901234567890, "c": 1E400}')!;
    expect(dumpsJson(value)).toBe(
      '{\n "a": [\n  1,\n  {},\n  []\n ],\n "b": 1.0,\n "c": Infinity,\n "\\u00fc": 12345678901234567890\n}',
    );
  });

  it('is valid JSON with the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const written = dumpsJson(loadsJson(JSON.stringify(value))!);
        expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('orders strings by code point', () => {
    expect(['\u{1d54f}', '\uffee', 'a'].sort(byCodePoint)).toEqual(['a', '\uffee', '\u{1d54f}']);
  });

  it('gives undefined for text that json.loads rejects', () => {
    expect(loadsJson('{"a": }')).toBeUndefined();
  });

  it('fails on values nested too deeply, as in Python', () => {
    const deep = loadsJson('['.repeat(2000) + ']'.repeat(2000))!;
    expect(() => dumpsJson(deep)).toThrow(ToolCrash);
  });
});

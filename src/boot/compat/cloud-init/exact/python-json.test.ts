import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ToolCrash } from './compat-crash.ts';
import { byCodePoint, dumpsJson, loadsJson } from './python-json.ts';

describe('JSON as Python writes it', () => {
  it('keeps 1 apart from 1.0, sorts keys and escapes what is not ASCII', () => {
    const value = loadsJson('{"b": 1.0, "a": [1, {}, []], "ü": 12345678901234567890, "c": 1E400}')!;
    expect(dumpsJson(value)).toBe(
      '{\n "a": [\n  1,\n  {},\n  []\n ],\n "b": 1.0,\n "c": Infinity,\n "\\u00fc": 12345678901234567890\n}',
    );
  });

  it('is read back by any reader as the same value', () => {
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

  it('gives undefined for what json.loads refuses', () => {
    expect(loadsJson('{"a": }')).toBeUndefined();
  });

  it('fails where Python does: on values nested too deep', () => {
    const deep = loadsJson('['.repeat(2000) + ']'.repeat(2000))!;
    expect(() => dumpsJson(deep)).toThrow(ToolCrash);
  });
});

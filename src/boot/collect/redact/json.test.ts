import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactText } from '../redact.ts';
import { redactJson } from './json.ts';

const kept = (value: string) => value;

describe('redactJson', () => {
  it('redacts values of any type under a secret key', () => {
    const text = '{"customData":{"a":["x"]},"n":1.50,"password":1234,"publicKeys":[{"keyData":"k"}],"token":null}';
    expect(redactText(text)).toBe(
      '{"customData":"[redacted]","n":1.50,"password":"[redacted]","publicKeys":"[redacted]","token":null}',
    );
  });

  it('leaves a document without secrets unchanged, byte for byte', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify({ value }, null, indent);
        expect(redactJson(text, kept)).toBe(text);
      }),
    );
    const odd = '{ "a" : "\\u00e9\\/" , "b":[ ] ,"c":{},"n":1.50e+2 }';
    expect(redactJson(odd, kept)).toBe(odd);
  });

  it('passes each string with its key, and each key, to redactString', () => {
    const seen: [string, string][] = [];
    redactJson('{"a":"1","b":{"c":["2",{"d":"3"},"4"]},"e":"5"}', (value, key) => {
      seen.push([value, key]);
      return value;
    });
    expect(seen.filter(([, key]) => key !== '')).toEqual([
      ['1', 'a'],
      ['2', 'c'],
      ['3', 'd'],
      ['4', 'c'],
      ['5', 'e'],
    ]);
    expect(seen.filter(([, key]) => key === '').map(([value]) => value)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('redacts whole arrays under a secret key, but not names that only contain one', () => {
    expect(redactJson('{"tokens":"a","token":["a",["b"]],"x":["password"],"API-KEY":true}', kept)).toBe(
      '{"tokens":"a","token":"[redacted]","x":["password"],"API-KEY":true}',
    );
  });

  it('searches a byte array as text without colour codes', () => {
    const numbers = (text: string) => `[${[...Buffer.from(text)].join(',')}]`;
    const hide = (value: string) => value.replace('hunter22', '[redacted]');
    expect(redactJson(`{"M":${numbers('\x1b[31mhun\x1b[0mter22')}}`, hide)).toBe(`{"M":${numbers('[redacted]')}}`);
    expect(redactJson('{"n":[1,2,300]}', (value) => `${value}x`)).toContain('[1,2,300]');
    expect(redactJson(`{"M":${numbers('plain')},"n":[1,2,300]}`, hide)).toBe(`{"M":${numbers('plain')},"n":[1,2,300]}`);
  });
});

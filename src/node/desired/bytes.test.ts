import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import { contentBytes, contentText, isSecret, sha256Of, toBytes } from './bytes.ts';

describe('the bytes of a file', () => {
  it('round-trip, for text and binary, secret or not', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.boolean(), (raw, isHidden) => {
        const bytes = toBytes(raw, isHidden);
        expect(contentBytes(bytes).equals(raw)).toBe(true);
        expect(isSecret(bytes)).toBe(isHidden);
      }),
    );
  });

  it('are stored as text if they are text', () => {
    expect(toBytes(Buffer.from('grüße\n'), false)).toEqual({ content: 'grüße\n', encoding: 'utf8' });
    expect(toBytes(Buffer.from([0x61, 0]), false).encoding).toBe('base64');
    expect(toBytes(Buffer.from([0xff]), false).encoding).toBe('base64');
  });

  it('have the same hash in both encodings', () => {
    const text = { content: 'abc', encoding: 'utf8' } as const;
    expect(sha256Of({ content: new Secret('YWJj'), encoding: 'base64' })).toBe(sha256Of(text));
    expect(sha256Of({ ...text, content: 'abd' })).not.toBe(sha256Of(text));
  });

  it('are not text if they contain invalid UTF-8 or NUL', () => {
    expect(contentText({ content: 'abc', encoding: 'utf8' })).toBe('abc');
    expect(contentText({ content: Buffer.from([0xff, 0x61]).toString('base64'), encoding: 'base64' })).toBeUndefined();
    expect(contentText({ content: 'a\u0000', encoding: 'utf8' })).toBeUndefined();
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { environment } from './ovf-environment.testing.ts';
import { readOvfEnvironment } from './ovf-environment.ts';

describe('readOvfEnvironment', () => {
  it('round-trips any bytes, and returns an environment or a problem for any text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
        const text = environment('x').replace(/(<CustomData>)[^<]*/, `$1${Buffer.from(bytes).toString('base64')}`);
        expect(readOvfEnvironment(text)).toEqual({ customData: Buffer.from(bytes) });
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void readOvfEnvironment(text)));
  });

  it('accepts absent, empty and line-broken custom data', () => {
    expect(readOvfEnvironment(environment())).toEqual({ customData: undefined });
    expect(readOvfEnvironment(environment(''))).toEqual({ customData: undefined });
    const lines = environment('the content').replace('dGhl', 'dG\n   hl');
    expect(readOvfEnvironment(lines)).toEqual({ customData: Buffer.from('the content') });
  });

  it.each([
    ['is truncated', environment('x').slice(0, -20)],
    ['is not an OVF environment', '<html></html>'],
    ['contains a document type', `<!doctype x>${environment('x')}`],
    ['is not base64', environment('x').replace('<CustomData>', '<CustomData>!')],
    ['is not base64', environment('x').replace('<CustomData>', '<CustomData>a')],
  ])('refuses a file that %s without quoting it', (problem, text) => {
    const result = readOvfEnvironment(text);
    expect('problem' in result && result.problem).toContain(problem);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { environment } from './ovf-environment.testing.ts';
import { readOvfEnvironment } from './ovf-environment.ts';

describe('custom data in an OVF environment', () => {
  it('is any bytes, and any text is an environment or a problem', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
        const text = environment('x').replace(/(<CustomData>)[^<]*/, `$1${Buffer.from(bytes).toString('base64')}`);
        expect(readOvfEnvironment(text)).toEqual({ customData: Buffer.from(bytes) });
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void readOvfEnvironment(text)));
  });

  it('may be absent or empty, or broken over lines', () => {
    expect(readOvfEnvironment(environment())).toEqual({ customData: undefined });
    expect(readOvfEnvironment(environment(''))).toEqual({ customData: undefined });
    const lines = environment('the content').replace('dGhl', 'dG\n   hl');
    expect(readOvfEnvironment(lines)).toEqual({ customData: Buffer.from('the content') });
  });

  it.each([
    ['ends in the middle', environment('x').slice(0, -20)],
    ['is not an OVF environment', '<html></html>'],
    ['has a document type', `<!doctype x>${environment('x')}`],
    ['is not base64', environment('x').replace('<CustomData>', '<CustomData>!')],
    ['is not base64', environment('x').replace('<CustomData>', '<CustomData>a')],
  ])('that %s is a problem, without its words', (problem, text) => {
    const result = readOvfEnvironment(text);
    expect('problem' in result && result.problem).toContain(problem);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestedName } from './request-subject.ts';
import { signingRequest } from './testing.ts';

/** `openssl req -new -newkey ec:P-256 -subj /O=system:nodes/CN=system:node:node-a`, with its signature cut off. */
describe('requestedName', () => {
  it.each(['system:node:pool-000001', 'system:node:a', `system:node:${'x'.repeat(200)}`, 'ä'])('is %s', (name) => {
    expect(requestedName(signingRequest(name))).toBe(name);
  });

  it('returns undefined if there is no name', () => {
    expect(requestedName('')).toBeUndefined();
    expect(
      requestedName(Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END').toString('base64')),
    ).toBeUndefined();
    expect(requestedName(signingRequest(undefined))).toBeUndefined();
  });

  it('never throws for any input', () => {
    const pem = (body: Uint8Array) =>
      Buffer.from(
        `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(body).toString('base64')}\n-----END CERTIFICATE REQUEST-----`,
      ).toString('base64');
    fc.assert(fc.property(fc.oneof(fc.string(), fc.uint8Array().map(pem)), (text) => void requestedName(text)));
    const whole = Buffer.from(
      /\n([^-]+)\n-/.exec(Buffer.from(signingRequest('x'), 'base64').toString())![1]!,
      'base64',
    );
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const damaged = Buffer.from(whole);
        damaged[at] = byte;
        requestedName(pem(damaged));
        requestedName(pem(whole.subarray(0, at)));
      }),
    );
  });
});

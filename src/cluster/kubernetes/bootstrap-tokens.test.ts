import { describe, expect, it } from 'vitest';
import { toToken } from './bootstrap-tokens.ts';

const SINCE = new Date('2026-01-01T00:00:00Z');

describe('the Secret of a bootstrap token', () => {
  const data = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));

  it('tells its end and its use, and keeps its secret', () => {
    const token = toToken(
      data({
        'token-id': 'abcdef',
        'token-secret': '0123456789abcdef',
        expiration: '2026-01-01T00:00:00Z',
        'usage-bootstrap-authentication': 'true',
      }),
    );
    expect(token).toEqual({ expiresMs: SINCE.getTime(), isForJoining: true });
  });

  it('without an end does not end; with one that cannot be read it is over', () => {
    expect(toToken({})).toEqual({ isForJoining: false });
    expect(toToken(data({ expiration: 'tomorrow' }))).toEqual({ expiresMs: 0, isForJoining: false });
  });
});

import { describe, expect, it } from 'vitest';
import { tokenCalls, toToken } from './bootstrap-tokens.ts';
import { clientOf } from './testing.ts';

const SINCE = new Date('2026-01-01T00:00:00Z');

describe('the Secret of a bootstrap token', () => {
  const data = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));

  it('gives its expiry and its usage, never its secret', () => {
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

  it('does not expire without an expiration, and is expired with an invalid one', () => {
    expect(toToken({})).toEqual({ isForJoining: false });
    expect(toToken(data({ expiration: 'tomorrow' }))).toEqual({ expiresMs: 0, isForJoining: false });
  });
});

describe('the id of a bootstrap token', () => {
  it.each(['', 'ABCDEF', 'abcde', 'abcdefg', '../abc', 'abc/ef'])(
    '%j is invalid and is not sent to the server',
    async (id) => {
      const asked: unknown[] = [];
      const calls = tokenCalls(clientOf({ readNamespacedSecret: async (request: unknown) => asked.push(request) }));
      expect(await calls.readBootstrapToken(id)).toBeUndefined();
      expect(asked).toEqual([]);
    },
  );

  it('is read from the namespace of the tokens', async () => {
    const asked: unknown[] = [];
    const readNamespacedSecret = async (request: unknown) => {
      asked.push(request);
      return { data: {} };
    };
    expect(await tokenCalls(clientOf({ readNamespacedSecret })).readBootstrapToken('abc123')).toEqual({
      isForJoining: false,
    });
    expect(asked).toEqual([{ name: 'bootstrap-token-abc123', namespace: 'kube-system' }]);
  });
});

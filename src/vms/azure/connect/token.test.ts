import type { GetTokenOptions } from '@azure/identity';
import { describe, expect, it } from 'vitest';
import { keepTokens } from './token.ts';

const hourMs = 3_600_000;

/** A login library that answers from its own cache unless there are claims, like MSAL. */
function library({ takesClaims = true }: { takesClaims?: boolean } = {}) {
  const asked: (string | undefined)[] = [];
  let issued = 1;
  return {
    asked,
    getToken: async (_scopes: string | string[], options?: GetTokenOptions) => {
      asked.push(options?.claims);
      if (options?.claims && !takesClaims) throw new Error('this login takes no claims');
      if (options?.claims) issued++;
      return { token: `t${issued}`, expiresOnTimestamp: hourMs };
    },
  };
}

describe('kept tokens', () => {
  it('are used until shortly before their end', async () => {
    const credential = library();
    let nowMs = 0;
    const kept = keepTokens(credential, { nowMs: () => nowMs });
    for (nowMs of [0, 10 * 60_000, 54 * 60_000]) expect((await kept.getToken('s'))?.token).toBe('t1');
    expect(credential.asked).toHaveLength(1);
    nowMs = 56 * 60_000;
    await kept.getToken('s');
    expect(credential.asked).toHaveLength(2);
  });

  it('that were dropped are replaced past the cache of the login library', async () => {
    const credential = library();
    const kept = keepTokens(credential, { nowMs: () => 0 });
    expect((await kept.getToken('s'))?.token).toBe('t1');
    kept.drop('t1');
    expect((await kept.getToken('s'))?.token).toBe('t2');
    expect((await kept.getToken('s'))?.token).toBe('t2');
    expect(credential.asked).toEqual([undefined, undefined, expect.stringContaining('access_token')]);
  });

  it('stay when an older token is dropped: another request has already replaced it', async () => {
    const kept = keepTokens(library(), { nowMs: () => 0 });
    await kept.getToken('s');
    kept.drop('t1');
    expect((await kept.getToken('s'))?.token).toBe('t2');
    kept.drop('t1');
    expect((await kept.getToken('s'))?.token).toBe('t2');
  });

  it('of a login without claims are asked for again, and Azure gives the reason', async () => {
    const kept = keepTokens(library({ takesClaims: false }), { nowMs: () => 0 });
    await kept.getToken('s');
    kept.drop('t1');
    expect((await kept.getToken('s'))?.token).toBe('t1');
  });
});

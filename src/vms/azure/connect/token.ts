// vms/azure/connect/token.ts: cache tokens, and replace one that Azure refused. Each call has its own client, and some credentials start a process for every token.
import type { GetTokenOptions, TokenCredential } from '@azure/identity';
import type { Clock } from '../../../base/clock.ts';

type Token = NonNullable<Awaited<ReturnType<TokenCredential['getToken']>>>;

export interface KeptTokens extends TokenCredential {
  /** Azure refused this token: the next request gets another. Also when its lifetime, by this machine's clock, has not ended. */
  drop(token: string): void;
}

const renewBeforeMs = 5 * 60_000;
/** Asks for nothing in particular. The login library answers from its own cache unless there are claims. */
const noClaims = JSON.stringify({ access_token: {} });

export function keepTokens(credential: TokenCredential, clock: Pick<Clock, 'nowMs'>): KeptTokens {
  const kept = new Map<string, Token>();
  const refused = new Set<string>();

  const freshToken = async (scopes: string | string[], options?: GetTokenOptions): Promise<Token | null> => {
    const fresh = await credential.getToken(scopes, options);
    if (!fresh || !refused.has(fresh.token)) return fresh;
    try {
      return await credential.getToken(scopes, { ...options, claims: noClaims });
    } catch {
      return fresh; // logins of other programs (az) refuse claims; Azure refuses the token again, with its own reason
    }
  };

  return {
    async getToken(scopes, options) {
      const key = JSON.stringify([scopes, options?.tenantId]);
      let token: Token | null | undefined = kept.get(key);
      // Claims come from a challenge: Azure refused the cached token.
      if (!token || options?.claims || token.expiresOnTimestamp - clock.nowMs() <= renewBeforeMs) {
        token = await freshToken(scopes, options);
        if (token) kept.set(key, token);
      }
      // Expired, so that the SDK, which caches by the wall clock, asks here for every request.
      return token && { ...token, expiresOnTimestamp: 0 };
    },
    drop(token) {
      refused.add(token);
      for (const [key, one] of kept) if (one.token === token) kept.delete(key);
    },
  };
}

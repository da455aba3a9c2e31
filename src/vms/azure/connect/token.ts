// vms/azure/connect/token.ts: cache tokens. Each call has its own client, and some credentials start a process for every token.
import type { TokenCredential } from '@azure/identity';
import type { Clock } from '../../../base/clock.ts';

type Token = NonNullable<Awaited<ReturnType<TokenCredential['getToken']>>>;

const renewBeforeMs = 5 * 60_000;

export function keepToken(credential: TokenCredential, clock: Pick<Clock, 'nowMs'>): TokenCredential {
  const kept = new Map<string, Token>();
  return {
    async getToken(scopes, options) {
      const key = JSON.stringify([scopes, options?.tenantId]);
      const token = kept.get(key);
      // Claims come from a challenge: Azure refused the cached token.
      if (token && !options?.claims && token.expiresOnTimestamp - clock.nowMs() > renewBeforeMs) return token;
      const fresh = await credential.getToken(scopes, options);
      if (fresh) kept.set(key, fresh);
      return fresh;
    },
  };
}

import { describe, expect, it } from 'vitest';
import { createAzureStandby } from '../azure-standby.ts';
import { counts, standbyTests } from './standby.testing.ts';

const on = standbyTests();

describe('standby instances are refused, and nothing is touched:', () => {
  it.each([
    [400, 'InvalidApiVersionParameter', 'standby/api-version'],
    [400, 'NoRegisteredProviderFound', 'standby/api-version'],
    [409, 'MissingSubscriptionRegistration', 'standby/not-registered'],
  ])('by an Azure without them: %i %s', async (status, code, ours) => {
    await on.start();
    const { sendRequest } = on.lab.deps.httpClient!;
    const standby = createAzureStandby(on.lab.settings, {
      ...on.lab.deps,
      httpClient: {
        async sendRequest(request) {
          const answer = await sendRequest(request);
          const error = { code, message: 'no such thing' };
          return /StandbyPool/.test(request.url)
            ? { ...answer, status, bodyAsText: JSON.stringify({ error }) }
            : answer;
        },
      },
    });
    await expect(standby.setStandby(on.lab.pool, { counts: counts({ paused: 1 }) })).rejects.toMatchObject({
      code: ours,
    });
    expect(on.wrote()).toBe(0);
  });
});

import { createHttpHeaders, type HttpClient } from '@azure/core-rest-pipeline';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../sims/azure/service/virtual-clock.ts';
import { openConnection } from './connection.ts';
import { nowhere, read, startMs, wire } from './testing.ts';

describe('a wait', () => {
  const slow = { status: 429, headers: { 'retry-after': '1200' } };

  it('of a call without a listener is reported to the default listener: twenty silent minutes look like a hang', async () => {
    const { openWithoutListener, defaultMessages, messages } = await wire(slow, { status: 200, body: {} });
    await read(await openWithoutListener());
    expect(defaultMessages).toEqual(['Azure throttles requests: retrying in 1200 s']);
    expect(messages).toEqual([]);
  });

  it("is reported once, to the call's listener", async () => {
    const { open, defaultMessages, messages } = await wire(slow, { status: 200, body: {} });
    await read(await open());
    expect([messages.length, defaultMessages.length]).toEqual([1, 0]);
  });
});

describe('a login service that does not respond', () => {
  const unavailable = Object.assign(new Error('endpoints_resolution_error: see elsewhere'), {
    name: 'CredentialUnavailableError',
  });
  const failing = (times: number) => {
    const clock = new VirtualClock(startMs);
    let failures = 0;
    const credential = {
      getToken: async () => {
        if (failures++ < times) throw unavailable;
        return { token: 't', expiresOnTimestamp: startMs + 3_600_000 };
      },
    };
    const httpClient: HttpClient = {
      sendRequest: async (request) => ({ request, status: 200, headers: createHttpHeaders(), bodyAsText: '{}' }),
    };
    const settings = { ...nowhere, audience: 'https://arm.example' };
    return { clock, connection: openConnection(settings, { clock, credential, httpClient }) };
  };

  it('is retried', async () => {
    const { clock, connection } = failing(2);
    expect((await read(await connection.open())).status).toBe(200);
    expect(clock.nowMs() - startMs).toBe(6000);
  });

  it('is a transient error, not a wrong password', async () => {
    const { connection } = failing(100);
    await expect(read(await connection.open())).rejects.toMatchObject({ code: 'vms/unreachable' });
  });
});

import { createHttpHeaders, type HttpClient } from '@azure/core-rest-pipeline';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../sims/azure/service/virtual-clock.ts';
import { openConnection } from './connection.ts';
import { nowhere, read, startMs, wire } from './testing.ts';

describe('a wait', () => {
  const slow = { status: 429, headers: { 'retry-after': '1200' } };

  it('of a call that nobody listens to is told all the same: twenty silent minutes look like a hang', async () => {
    const { openUnheard, unheard, told } = await wire(slow, { status: 200, body: {} });
    await read(await openUnheard());
    expect(unheard).toEqual(['Azure throttles requests: retrying in 1200 s']);
    expect(told).toEqual([]);
  });

  it('is told once, to who listens', async () => {
    const { open, unheard, told } = await wire(slow, { status: 200, body: {} });
    await read(await open());
    expect([told.length, unheard.length]).toEqual([1, 0]);
  });
});

describe('a login service that does not answer', () => {
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

  it('is asked again', async () => {
    const { clock, connection } = failing(2);
    expect((await read(await connection.open())).status).toBe(200);
    expect(clock.nowMs() - startMs).toBe(6000);
  });

  it('is a failure that may pass, not a wrong password', async () => {
    const { connection } = failing(100);
    await expect(read(await connection.open())).rejects.toMatchObject({ code: 'vms/unreachable' });
  });
});

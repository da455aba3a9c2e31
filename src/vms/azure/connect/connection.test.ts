// What goes over the wire and how long is waited, with a scripted network and the real SDK.
import { createHttpHeaders, type HttpClient, type PipelineRequest, RestError } from '@azure/core-rest-pipeline';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../sims/azure/service/virtual-clock.ts';
import { TransientError, UserError } from '../../../base/errors.ts';
import { Conflict, NoCapacity, NotFound, Throttled } from '../../../base/failures.ts';
import { onTrace, type TraceLine } from '../../../base/trace.ts';
import { type Call, connect } from './connection.ts';
import { carryOut } from './operations.ts';

type Scripted =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | 'reset'
  | 'hang'
  | { broke: string };
interface Sent {
  method: string;
  url: URL;
  atS: number;
  authorization: string | undefined;
}

const startMs = Date.parse('2026-11-15T08:00:00Z');
const status =
  'https://arm.example/subscriptions/s/providers/Microsoft.Compute/locations/we/operations/1?api-version=2024-07-01&t=1';
const location = status.replace('t=1', 'monitor=true');

const nowhere = { subscriptionId: 's', resourceGroup: 'g', endpoint: 'https://arm.example', authorityHost: '' };

async function wire(...script: Scripted[]) {
  const clock = new VirtualClock(startMs);
  const sent: Sent[] = [];
  const told: string[] = [];
  const unheard: string[] = [];
  const controller = new AbortController();
  let tokens = 0;
  const httpClient: HttpClient = { sendRequest: (request) => clock.during(async () => reply(request)) };
  function reply(request: PipelineRequest) {
    sent.push({
      method: request.method,
      url: new URL(request.url),
      atS: (clock.nowMs() - startMs) / 1000,
      authorization: request.headers.get('authorization'),
    });
    const next = script.shift();
    if (!next) throw new Error(`nothing scripted for ${request.method} ${request.url}`);
    if (next === 'reset') throw new RestError('read ECONNRESET', { code: 'ECONNRESET', request });
    if (typeof next === 'object' && 'broke' in next)
      throw new RestError(`connect ${next.broke} 127.0.0.1:1`, { code: next.broke, request });
    if (next === 'hang') throw Object.assign(new Error('timed out'), { name: 'AbortError' });
    const bodyAsText = next.body === undefined ? '' : JSON.stringify(next.body);
    return { request, status: next.status, headers: createHttpHeaders(next.headers), bodyAsText };
  }
  const connection = connect(
    {
      subscriptionId: 's',
      resourceGroup: 'g',
      endpoint: 'https://arm.example',
      authorityHost: '',
      audience: 'https://arm.example',
    },
    {
      clock,
      httpClient,
      onWaiting: (what) => unheard.push(what),
      credential: {
        getToken: async () => ({ token: `canary-token-${++tokens}`, expiresOnTimestamp: clock.nowMs() + 3_600_000 }),
      },
    },
  );
  const options = { onWaiting: (what: string) => told.push(what), signal: controller.signal };
  return {
    clock,
    sent,
    told,
    controller,
    call: await connection.open(options),
    open: () => connection.open(options),
    openUnheard: () => connection.open({ signal: controller.signal }),
    unheard,
    tokens: () => tokens,
  };
}

const read = (call: Call) => call.send({ method: 'GET', url: '/subscriptions/s/x?api-version=1' }, 'x');
const stop = (call: Call) =>
  carryOut(call, { verb: 'stopping', thing: 'instance 0' }, () =>
    call.compute('s').virtualMachineScaleSetVMs.powerOff('g', 'pool', '0'),
  );
const busy = { status: 200, headers: { 'retry-after': '10' }, body: { status: 'InProgress' } };
const accepted = { status: 202, headers: { 'azure-asyncoperation': status, location, 'retry-after': '15' } };

describe('a wait', () => {
  const slow = { status: 429, headers: { 'retry-after': '1200' } };

  it('of a call that nobody listens to is told all the same: twenty silent minutes look like a hang', async () => {
    const { openUnheard, unheard, told } = await wire(slow, { status: 200, body: {} });
    await read(await openUnheard());
    expect(unheard).toEqual(['Azure asks to slow down: asking again in 1200 s']);
    expect(told).toEqual([]);
  });

  it('is told once, to who listens', async () => {
    const { open, unheard, told } = await wire(slow, { status: 200, body: {} });
    await read(await open());
    expect([told.length, unheard.length]).toEqual([1, 0]);
  });
});

describe('a request', () => {
  it('speaks the pinned versions, with a token', async () => {
    const { call, sent } = await wire({ status: 200, body: {} });
    await read(call);
    expect(sent[0]!.url.searchParams.get('api-version')).toBe('2024-07-01');
    expect(sent[0]!.authorization).toBe('Bearer canary-token-1');
  });

  it('uses one token for many calls', async () => {
    const { call, open, tokens } = await wire({ status: 200 }, { status: 200 });
    await read(call);
    await read(await open());
    expect(tokens()).toBe(1);
  });

  it('waits as long as throttling asks, and says so', async () => {
    const { call, sent, told } = await wire(
      { status: 429, headers: { 'Retry-After': '1200' } },
      { status: 200, body: {} },
    );
    expect((await read(call)).status).toBe(200);
    expect(sent.map(({ atS }) => atS)).toEqual([0, 1200]);
    expect(told).toEqual(['Azure asks to slow down: asking again in 1200 s']);
  });

  it('asks for a new token when the old one has expired in the meantime', async () => {
    const { call, open, sent } = await wire(
      { status: 200 },
      { status: 429, headers: { 'retry-after': '7200' } },
      { status: 200 },
    );
    await read(call);
    await read(await open());
    expect(sent.map(({ authorization }) => authorization)).toEqual([1, 1, 2].map((n) => `Bearer canary-token-${n}`));
  });

  it('is sent again after a reset, a timeout and a server error, ever later', async () => {
    const { call, sent } = await wire('reset', 'hang', { status: 503 }, { status: 200, body: {} });
    expect((await read(call)).status).toBe(200);
    expect(sent.map(({ atS }) => atS)).toEqual([0, 2, 6, 14]);
  });

  it('gives up in the end, with the last reason', async () => {
    const { call, sent } = await wire(...Array<Scripted>(5).fill('reset'));
    await expect(read(call)).rejects.toMatchObject({ code: 'vms/unreachable' });
    expect(sent).toHaveLength(5);
  });

  it('hands throttling on when it does not end', async () => {
    const throttled = {
      status: 429,
      headers: { 'retry-after': '60' },
      body: { error: { code: 'OperationNotAllowed' } },
    };
    const { call } = await wire(...Array<Scripted>(8).fill(throttled));
    await expect(stop(call)).rejects.toMatchObject({ constructor: Throttled, retryAfterMs: 60_000 });
  });

  it('is stopped while it waits', async () => {
    const { call, controller } = await wire({ status: 429, headers: { 'retry-after': '60' } });
    const reason = new Error('enough');
    const pending = read(call);
    setImmediate(() => controller.abort(reason));
    await expect(pending).rejects.toBe(reason);
  });

  it('that the service refuses is not sent twice', async () => {
    const { call, sent } = await wire({ status: 404, body: { error: { code: 'ResourceNotFound', message: 'no' } } });
    const failure = await stop(call).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NotFound);
    expect(failure).toMatchObject({ message: 'instance 0 does not exist' });
    expect(sent).toHaveLength(1);
  });
});

describe('an endpoint that does not answer', () => {
  it.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_HAS_EXPIRED', 'CERT_REVOKED'])(
    'is not asked twice when its certificate fails with %s: it would be the same one',
    async (broke) => {
      const { call, sent, told } = await wire({ broke });
      const failure = await read(call).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(UserError);
      expect(failure).toMatchObject({ code: 'vms/untrusted', message: expect.stringContaining('https://arm.example') });
      expect([sent.length, told]).toEqual([1, []]);
    },
  );

  it('is not waited for when its certificate is not trusted, and the setting that helps is named', async () => {
    const { call } = await wire({ broke: 'SELF_SIGNED_CERT_IN_CHAIN' });
    await expect(read(call)).rejects.toMatchObject({ next: expect.stringContaining('NODE_EXTRA_CA_CERTS=FILE') });
  });

  it.each(['ENOTFOUND', 'ECONNREFUSED', 'EAI_AGAIN', 'EHOSTUNREACH', 'EPROTO'])(
    'gives up within seconds after %s when it has never answered, and names address and setting',
    async (broke) => {
      const { call, clock } = await wire(...Array<Scripted>(5).fill({ broke }));
      const failure = await read(call).catch((error: unknown) => error);
      expect(failure).toMatchObject({
        code: 'vms/unreachable',
        message: expect.stringMatching(new RegExp(`https://arm\\.example .*${broke}`)),
        next: expect.stringContaining('HEADSTART_AZURE_ENDPOINT'),
      });
      expect(clock.nowMs() - startMs).toBeLessThanOrEqual(5000);
    },
  );

  it.each(['ENOTFOUND', 'ECONNREFUSED', 'CERT_HAS_EXPIRED'])(
    'is asked as patiently as ever after %s once it has answered: a donor may be out of service',
    async (broke) => {
      const { call, open, sent } = await wire({ status: 200 }, ...Array<Scripted>(5).fill({ broke }));
      await read(call);
      await expect(read(await open())).rejects.toBeInstanceOf(TransientError);
      expect(sent).toHaveLength(6);
    },
  );

  it('is named while it is waited for, with the reason', async () => {
    const { call, told } = await wire({ broke: 'ECONNREFUSED' }, { status: 200 });
    await read(call);
    expect(told).toEqual([
      'https://arm.example refused the connection (ECONNREFUSED 127.0.0.1:1): asking again in 2 s',
    ]);
  });
});

describe('a trace', () => {
  const traced = async (...script: Scripted[]) => {
    const lines: TraceLine[] = [];
    const stop = onTrace((line) => lines.push(line));
    try {
      const { call } = await wire(...script);
      await read(call).catch(() => undefined);
      await call
        .send({ method: 'GET', url: status.replace('t=1', 't=1&c=canary&s=canary') }, 'x')
        .catch(() => undefined);
    } finally {
      stop();
    }
    expect(JSON.stringify(lines)).not.toContain('canary');
    return lines.map(({ to, text }) => `${to}: ${text}`);
  };

  it('tells method, path, status, duration and the id that support asks for, and no token', async () => {
    const lines = await traced({ status: 200, headers: { 'x-ms-request-id': 'r1' } }, { status: 404 });
    expect(lines[0]).toMatch(/^azure: GET \/subscriptions\/s\/x\?api-version=2024-07-01: 200 in \d+ ms, request r1$/);
    expect(lines[1]).toMatch(/^azure: GET \/subscriptions\/.*\/operations\/1\?api-version=2024-07-01&…: 404 in/);
  });

  it('tells what is tried again, and why', async () => {
    const lines = await traced({ broke: 'ECONNREFUSED' }, { status: 503 }, { status: 200 }, { status: 200 });
    expect(lines[0]).toContain('no answer');
    expect(lines[1]).toBe('azure: again in 2 s: https://arm.example refused the connection (ECONNREFUSED 127.0.0.1:1)');
    expect(lines[3]).toBe('azure: again in 4 s: Azure answered 503');
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
    return { clock, connection: connect(settings, { clock, credential, httpClient }) };
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

describe('an operation', () => {
  it('is polled no earlier than each answer says, until it has ended, and not once more', async () => {
    const { call, sent, told } = await wire(accepted, busy, busy, { status: 200, body: { status: 'Succeeded' } });
    await stop(call);
    expect(sent.map(({ method, atS }) => [method, atS])).toEqual([
      ['POST', 0],
      ['GET', 15],
      ['GET', 25],
      ['GET', 35],
    ]);
    expect(sent[1]!.url.href).toBe(status);
    expect(told).toEqual(['stopping instance 0', 'stopping instance 0 (15 s)', 'stopping instance 0 (25 s)']);
  });

  it('is polled every ten seconds where the service gives no hint, and never in a hot loop', async () => {
    const silent = { status: 202, headers: { 'azure-asyncoperation': status } };
    const atOnce = { status: 200, headers: { 'retry-after': '0' }, body: { status: 'InProgress' } };
    const { call, sent } = await wire(silent, atOnce, { status: 200, body: { status: 'Succeeded' } });
    await stop(call);
    expect(sent.map(({ atS }) => atS)).toEqual([0, 10, 11]);
  });

  it('survives throttling and server errors between polls', async () => {
    const { call } = await wire(accepted, { status: 429, headers: { 'retry-after': '30' } }, 'reset', busy, {
      status: 200,
      body: { status: 'Succeeded' },
    });
    await expect(stop(call)).resolves.toBeUndefined();
  });

  it('that failed tells its code, which the SDK keeps only in a sentence', async () => {
    const error = { code: 'AllocationFailed', message: 'Allocation failed. We do not have sufficient capacity.' };
    const { call } = await wire(accepted, { status: 200, body: { status: 'Failed', error } });
    await expect(stop(call)).rejects.toBeInstanceOf(NoCapacity);
  });

  it('that was overtaken is a conflict', async () => {
    const error = { code: 'OperationPreempted', message: 'A newer one came.' };
    const { call } = await wire(accepted, { status: 200, body: { status: 'Failed', error } });
    await expect(stop(call)).rejects.toBeInstanceOf(Conflict);
  });

  it('that nobody remembers is not the same as an instance that does not exist', async () => {
    const { call } = await wire(accepted, { status: 404, body: { error: { code: 'NotFound' } } });
    const failure = await stop(call).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TransientError);
    expect(failure).not.toBeInstanceOf(NotFound);
  });

  it('may be told by its location alone', async () => {
    const only = { status: 202, headers: { location, 'retry-after': '5' } };
    const { call, sent } = await wire(only, { status: 202, headers: { 'retry-after': '5' } }, { status: 204 });
    await stop(call);
    expect(sent.map(({ atS }) => atS)).toEqual([0, 5, 10]);
  });

  it('that was done at once is not polled', async () => {
    const { call, sent } = await wire({ status: 200 });
    await stop(call);
    expect(sent).toHaveLength(1);
  });

  it('is left to itself when the waiting is stopped', async () => {
    const { call, controller } = await wire(accepted, busy, busy, busy, busy);
    const reason = new Error('enough');
    const pending = stop(call);
    setImmediate(() => controller.abort(reason));
    await expect(pending).rejects.toBe(reason);
  });
});

import { describe, expect, it } from 'vitest';
import { Forbidden, NotFound, Throttled, TooLate, Unauthenticated } from '../../../base/failures.ts';
import { onTrace, type TraceLine } from '../../../base/trace.ts';
import { accepted, busy, read, type ScriptedReply, startMs, status, stop, wire } from './testing.ts';

describe('a request', () => {
  it('uses the pinned API version and a token', async () => {
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

  it('waits as long as Retry-After says, and reports the wait', async () => {
    const { call, sent, messages } = await wire(
      { status: 429, headers: { 'Retry-After': '1200' } },
      { status: 200, body: {} },
    );
    expect((await read(call)).status).toBe(200);
    expect(sent.map(({ atS }) => atS)).toEqual([0, 1200]);
    expect(messages).toEqual(['Azure throttles requests: retrying in 1200 s']);
  });

  it('gets a new token when the old one has expired in the meantime', async () => {
    const { call, open, sent } = await wire(
      { status: 200 },
      { status: 429, headers: { 'retry-after': '7200' } },
      { status: 200 },
    );
    await read(call);
    await read(await open());
    expect(sent.map(({ authorization }) => authorization)).toEqual([1, 1, 2].map((n) => `Bearer canary-token-${n}`));
  });

  it('is retried after a reset, a timeout and a server error, with growing pauses', async () => {
    const { call, sent } = await wire('reset', 'hang', { status: 503 }, { status: 200, body: {} });
    expect((await read(call)).status).toBe(200);
    expect(sent.map(({ atS }) => atS)).toEqual([0, 2, 6, 14]);
  });

  it('fails with the last reason after the last attempt', async () => {
    const { call, sent } = await wire(...Array<ScriptedReply>(5).fill('reset'));
    await expect(read(call)).rejects.toMatchObject({ code: 'vms/unreachable' });
    expect(sent).toHaveLength(5);
  });

  it('fails with Throttled when throttling does not end', async () => {
    const throttled = {
      status: 429,
      headers: { 'retry-after': '60' },
      body: { error: { code: 'OperationNotAllowed' } },
    };
    const { call } = await wire(...Array<ScriptedReply>(8).fill(throttled));
    await expect(stop(call)).rejects.toMatchObject({ constructor: Throttled, retryAfterMs: 60_000 });
  });

  it('that changes something is not sent, and does not wait, beyond its fence', async () => {
    const throttled = { status: 429, headers: { 'retry-after': '1200' } };
    const { open, clock, sent } = await wire(throttled, throttled, { status: 200, body: {} });
    const fence = { leftMs: () => startMs + 900_000 - clock.nowMs() };
    await expect(stop(await open({ fence }))).rejects.toMatchObject({
      constructor: Throttled,
      retryAfterMs: 1_200_000,
    });
    expect(sent.map(({ atS }) => atS)).toEqual([0]);
    expect((await read(await open({ fence }))).status).toBe(200);
    expect(sent.map(({ method, atS }) => `${method} ${atS}`)).toEqual(['POST 0', 'GET 0', 'GET 1200']);
    await expect(stop(await open({ fence }))).rejects.toBeInstanceOf(TooLate);
    expect(sent).toHaveLength(3);
  });

  it('is sent again after a lost connection only inside its fence', async () => {
    const { open, clock, sent } = await wire('reset', { status: 200, body: {} });
    let isOver = false;
    const fence = { leftMs: () => (isOver ? 0 : 60_000) };
    const pending = stop(await open({ fence }));
    const slept = clock.sleep(1_000).then(() => {
      isOver = true;
    }); // before the pause of 2 s ends
    await expect(pending).rejects.toBeInstanceOf(TooLate);
    await slept;
    expect(sent).toHaveLength(1);
  });

  it('that changes something is not aborted on its way, and not sent after an interrupt', async () => {
    const { call, open, controller, sent } = await wire({ status: 200, body: {} }, { status: 200, body: {} });
    await stop(call);
    await read(call);
    expect(sent.map(({ method, isAbortable }) => `${method} ${isAbortable}`)).toEqual(['POST false', 'GET true']);
    const later = await open();
    controller.abort(new Error('enough'));
    await expect(stop(later)).rejects.toThrow('enough');
    expect(sent).toHaveLength(2);
  });

  it('can be aborted while it waits', async () => {
    const { call, controller } = await wire({ status: 429, headers: { 'retry-after': '60' } });
    const reason = new Error('enough');
    const pending = read(call);
    setImmediate(() => controller.abort(reason));
    await expect(pending).rejects.toBe(reason);
  });

  it('that Azure refuses is not retried', async () => {
    const { call, sent } = await wire({ status: 404, body: { error: { code: 'ResourceNotFound', message: 'no' } } });
    const failure = await stop(call).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NotFound);
    expect(failure).toMatchObject({ message: 'instance 0 does not exist' });
    expect(sent).toHaveLength(1);
  });
});

describe('a refused token', () => {
  const refused = (code: string) => ({ status: 401, body: { error: { code, message: 'no' } } });
  const bearers = (sent: { authorization: string | undefined }[]) =>
    sent.map(({ authorization }) => authorization?.replace('Bearer canary-', ''));

  it.each(['ExpiredAuthenticationToken', 'InvalidAuthenticationToken', 'AuthenticationFailed'])(
    'is dropped at once and replaced, also while its lifetime has not ended by our clock (%s)',
    async (code) => {
      const { call, open, sent } = await wire(refused(code), { status: 200 }, { status: 200 });
      expect((await read(call)).status).toBe(200);
      await read(await open());
      expect(bearers(sent)).toEqual(['token-1', 'token-2', 'token-2']);
      expect(sent.map(({ atS }) => atS)).toEqual([0, 0, 0]);
    },
  );

  it('is replaced once for each request: the second refusal is an error of its own kind', async () => {
    const { call, sent } = await wire(
      ...[refused('ExpiredAuthenticationToken'), refused('InvalidAuthenticationToken')],
      ...[refused('ExpiredAuthenticationToken'), { status: 200, body: {} }],
    );
    const failure = await stop(call).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Unauthenticated);
    expect(failure).not.toBeInstanceOf(Forbidden);
    expect(failure).toMatchObject({ code: 'vms/unauthenticated' });
    expect((await read(call)).status).toBe(200);
    expect(bearers(sent)).toEqual(['token-1', 'token-2', 'token-2', 'token-3']);
  });

  it('is replaced in the middle of an operation', async () => {
    const { call, sent } = await wire(
      accepted,
      refused('ExpiredAuthenticationToken'),
      ...[busy, { status: 200, body: { status: 'Succeeded' } }],
    );
    await stop(call);
    expect(bearers(sent)).toEqual(['token-1', 'token-1', 'token-2', 'token-2']);
  });

  it('does not count as a missing right', async () => {
    const { call, sent } = await wire({ status: 403, body: { error: { code: 'AuthorizationFailed', message: 'no' } } });
    await expect(stop(call)).rejects.toBeInstanceOf(Forbidden);
    expect(sent).toHaveLength(1);
  });
});

describe('a trace', () => {
  const traced = async (...script: ScriptedReply[]) => {
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

  it('has method, path, status, duration and request id, and no token', async () => {
    const lines = await traced({ status: 200, headers: { 'x-ms-request-id': 'r1' } }, { status: 404 });
    expect(lines[0]).toMatch(/^azure: GET \/subscriptions\/s\/x\?api-version=2024-07-01: 200 in \d+ ms, request r1$/);
    expect(lines[1]).toMatch(/^azure: GET \/subscriptions\/.*\/operations\/1\?api-version=2024-07-01&…: 404 in/);
  });

  it('has each retry with its reason', async () => {
    const lines = await traced({ broke: 'ECONNREFUSED' }, { status: 503 }, { status: 200 }, { status: 200 });
    expect(lines[0]).toContain('no response');
    expect(lines[1]).toBe('azure: retry in 2 s: https://arm.example refused the connection (ECONNREFUSED 127.0.0.1:1)');
    expect(lines[3]).toBe('azure: retry in 4 s: Azure responded with 503');
  });
});

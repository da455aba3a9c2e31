import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { otlpRequest, type SendDeps, sendOtlp } from './send-otlp.ts';

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

let server: Server | undefined;
afterEach(() => new Promise<void>((done) => (server ? server.close(() => done()) : done())));

/** A collector on this host that sends these responses in turn and stores what it received. */
async function collector(answers: Answer[]) {
  const got: { request: IncomingMessage; body: string }[] = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { status, headers, body } = answers[got.length] ?? { status: 500 };
      got.push({ request, body: Buffer.concat(chunks).toString() });
      response.writeHead(status, { connection: 'close', ...headers }).end(body);
    });
  });
  await new Promise<void>((ready) => server!.listen(0, '127.0.0.1', ready));
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function deps(slept: number[] = []): SendDeps {
  return {
    fetch,
    sleep: async (ms) => {
      slept.push(ms);
    },
    nowMs: () => Date.parse('2026-01-01T00:00:00Z'),
    signal: new AbortController().signal,
  };
}

const TRACE = { resourceSpans: [] };

describe('sendOtlp', () => {
  it('posts to the default path of collectors, with the headers of the environment', async () => {
    const { got, url } = await collector([{ status: 200, body: '{}' }]);
    const sent = await sendOtlp(
      otlpRequest(url, TRACE, { OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20abc, x-team = nodes' }),
      deps(),
    );
    expect(sent).toEqual({ tries: 1, rejectedSpans: 0 });
    expect(got[0]!.request).toMatchObject({ method: 'POST', url: '/v1/traces' });
    expect(got[0]!.request.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer abc',
      'x-team': 'nodes',
    });
    expect(JSON.parse(got[0]!.body)).toEqual(TRACE);
  });

  it('reports an interruption while it waits for a response and between two tries', async () => {
    const { url } = await collector([{ status: 503 }]);
    const pressed = new AbortController();
    pressed.abort('SIGINT');
    const abortedSleep = () => {
      pressed.abort();
      return Promise.reject(new Error('aborted'));
    };
    for (const signalled of [
      { ...deps(), signal: pressed.signal },
      {
        ...deps(),
        signal: pressed.signal,
        fetch: async () => new Response(null, { status: 503 }),
        sleep: abortedSleep,
      },
    ]) {
      await expect(sendOtlp(otlpRequest(url, TRACE, {}), signalled)).rejects.toMatchObject({
        name: 'UserError',
        code: 'boot/otlp-interrupted',
      });
    }
  });

  it('retries after the time in the Retry-After of the collector', async () => {
    const slept: number[] = [];
    const date = 'Thu, 01 Jan 2026 00:00:07 GMT';
    const { url } = await collector([
      { status: 429, headers: { 'retry-after': '3' } },
      { status: 503, headers: { 'retry-after': date } },
      { status: 200 },
    ]);
    expect(await sendOtlp(otlpRequest(url, TRACE, {}), deps(slept))).toEqual({ tries: 3, rejectedSpans: 0 });
    expect(slept).toEqual([3000, 7000]);
  });

  it('gives up after three tries, and limits the wait', async () => {
    const slept: number[] = [];
    const { got, url } = await collector(Array(3).fill({ status: 503, headers: { 'retry-after': '86400' } }));
    const error = await caught(sendOtlp(otlpRequest(url, TRACE, {}), deps(slept)));
    expect([error.code, error.exitCode, got.length]).toEqual(['boot/otlp-not-sent', 1, 3]);
    expect(slept).toEqual([30_000, 30_000]);
  });

  it('does not retry a refused request, and prints no header in the error', async () => {
    const { got, url } = await collector([{ status: 401, body: 'no' }]);
    const error = await caught(
      sendOtlp(otlpRequest(url, TRACE, { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=s3cret' }), deps()),
    );
    expect(got).toHaveLength(1);
    expect(error.message).toContain('responded with 401');
    expect(error.message).not.toContain('s3cret');
  });

  it('does not follow a redirect, because the headers are only for the given host', async () => {
    const { got, url } = await collector([{ status: 307, headers: { location: '/elsewhere' } }, { status: 200 }]);
    await caught(sendOtlp(otlpRequest(url, TRACE, {}), deps()));
    expect(got).toHaveLength(1);
  });

  it('reports spans that the collector rejected', async () => {
    const body = JSON.stringify({ partialSuccess: { rejectedSpans: '2', errorMessage: 'too old' } });
    const { url } = await collector([{ status: 200, body }]);
    expect(await sendOtlp(otlpRequest(url, TRACE, {}), deps())).toEqual({
      tries: 1,
      rejectedSpans: 2,
      reason: 'too old',
    });
  });

  it('names a collector that cannot be reached', async () => {
    const { url } = await collector([]);
    await new Promise((done) => server!.close(done));
    server = undefined;
    expect((await caught(sendOtlp(otlpRequest(url, TRACE, {}), deps()))).message).toContain('could not be reached');
  });
});

describe('otlpRequest', () => {
  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all:4318' }, 'http://all:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all:4318/otel/' }, 'http://all:4318/otel/v1/traces'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all:4318', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces:1/in' },
      'http://traces:1/in',
    ],
  ])('takes the URL from %j if the user names none', (env, url) => {
    expect(otlpRequest(true, TRACE, env).url).toBe(url);
    expect(otlpRequest('http://named:1', TRACE, env).url).toBe('http://named:1/v1/traces');
  });

  it('requires a URL, and prefers the headers for traces', () => {
    expect(() => otlpRequest(true, TRACE, {})).toThrow('OTEL_EXPORTER_OTLP_ENDPOINT is not set');
    const env = { OTEL_EXPORTER_OTLP_HEADERS: 'a=1', OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'b=2' };
    expect(otlpRequest('http://named:1', TRACE, env).headers).toEqual({ 'content-type': 'application/json', b: '2' });
  });

  it('keeps the path of a URL', () => {
    expect(otlpRequest('https://otel.example/tenant/v1/traces?x=1', TRACE, {}).url).toBe(
      'https://otel.example/tenant/v1/traces?x=1',
    );
  });

  it.each(['otel.example', 'ftp://otel.example', 'file:///etc/passwd', 'https://me:s3cret@otel.example', ''])(
    'refuses %s',
    (target) => {
      try {
        otlpRequest(target, TRACE, {});
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(UserError);
        expect((error as Error).message).not.toContain('s3cret');
      }
    },
  );

  it.each(['novalue', '=x', 'a b=c', 'a=%zz', 'a=x%0d%0aevil: 1'])(
    'refuses headers %j without printing them',
    (text) => {
      try {
        otlpRequest('http://localhost:4318', TRACE, { OTEL_EXPORTER_OTLP_HEADERS: `ok=1,${text}` });
        expect.unreachable();
      } catch (error) {
        expect((error as UserError).code).toBe('boot/bad-otlp-headers');
        expect((error as Error).message).toContain('pair 2');
      }
    },
  );
});

async function caught(sending: Promise<unknown>): Promise<UserError> {
  const error = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UserError);
  return error as UserError;
}

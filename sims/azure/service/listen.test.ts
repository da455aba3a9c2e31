import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ArmAnswer, ArmRequest } from './call.ts';
import { makeLoopbackCertificate } from './certificate.ts';
import { listen, type SimServer } from './listen.ts';

const { certPem, keyPem } = await makeLoopbackCertificate();
const seen: { request: ArmRequest; form: URLSearchParams }[] = [];
let answer: () => ArmAnswer | 'reset' = () => ({ status: 204 });
let server: SimServer;

beforeAll(async () => {
  server = await listen({ certPem, keyPem, port: 0, address: '127.0.0.1' }, (one, form) => {
    seen.push({ request: one, form });
    return answer();
  });
});
afterAll(() => server.stop());

let requestId: string | undefined;

function ask(path: string, body = '', type = 'application/json'): Promise<{ status?: number; body: string }> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', ca: certPem, agent: false as const, headers: { 'content-type': type } };
    const asked = request(new URL(path, server.url), options, (response) => {
      requestId = response.headers['x-ms-request-id']?.toString();
      text(response).then((got) => resolve({ status: response.statusCode!, body: got }), reject);
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

describe('the server of the simulator', () => {
  it('passes the request on with its body, and sends the answer', async () => {
    answer = () => ({ status: 201, headers: { etag: '"1"' }, body: { é: 1 } });
    expect(await ask('/a?b=c', '{"x":1}')).toEqual({ status: 201, body: '{"é":1}' });
    const { request: got } = seen.at(-1)!;
    expect([got.method, got.url.pathname, got.url.search, got.body]).toEqual(['POST', '/a', '?b=c', { x: 1 }]);
  });

  it('treats an empty body, and a body that is not an object, as an empty object', async () => {
    answer = () => ({ status: 204 });
    for (const body of ['', ' ', '[1]']) {
      expect(await ask('/', body)).toEqual({ status: 204, body: '' });
      expect(seen.at(-1)!.request.body).toEqual({});
    }
  });

  it('gives every answer the id of a request, its own or one from the handler', async () => {
    answer = () => ({ status: 200 });
    await ask('/');
    expect(requestId).toMatch(/^[-0-9a-f]{36}$/);
    answer = () => ({ status: 200, headers: { 'x-ms-request-id': 'mine' } });
    await ask('/');
    expect(requestId).toBe('mine');
    await ask('/', '{');
    expect(requestId).toMatch(/^[-0-9a-f]{36}$/);
  });

  it('reads a form as a form', async () => {
    await ask('/', 'a=b&c=%20', 'application/x-www-form-urlencoded; charset=utf-8');
    expect([...seen.at(-1)!.form]).toEqual([
      ['a', 'b'],
      ['c', ' '],
    ]);
    expect(seen.at(-1)!.request.body).toEqual({});
  });

  it('refuses a body that is not JSON before it calls the handler', async () => {
    const before = seen.length;
    const { status, body } = await ask('/', '{');
    expect([status, JSON.parse(body).error.code, seen.length]).toEqual([400, 'InvalidRequestContent', before]);
  });

  it('reports its own bugs, and breaks the connection on request', async () => {
    answer = () => {
      throw new Error('oops');
    };
    const { status, body } = await ask('/');
    expect([status, JSON.parse(body).error]).toEqual([
      500,
      { code: 'SimulatorBug', message: expect.stringContaining('oops') },
    ]);
    answer = () => 'reset';
    await expect(ask('/')).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});

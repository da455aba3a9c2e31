import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import { fixture, withApiServer } from './api-server.testing.ts';
import { ApiFailure, parseObject } from './api-server.ts';

describe('exchange', () => {
  const failing = async (answer: (request: IncomingMessage, response: ServerResponse) => void, more = {}) => {
    let caught: unknown;
    await withApiServer(
      answer,
      async (node) => void (await node.patchMetadata({}).catch((error) => (caught = error))),
      more,
    );
    expect(caught).toBeInstanceOf(ApiFailure);
    return caught as ApiFailure;
  };
  const status = (code: number) => (_: IncomingMessage, response: ServerResponse) =>
    response.writeHead(code).end('secret words');

  it.each([401, 403, 409, 422, 500])('fails with status %i, without the text of the response', async (code) => {
    const failure = await failing(status(code));
    expect([failure.status, failure.message]).toEqual([code, expect.stringContaining(`(${code})`)]);
    expect(failure.message).not.toContain('secret');
  });

  it('refuses a server with another certificate', async () => {
    expect(await failing(status(200), { authority: fixture('node.crt') })).toMatchObject({
      status: undefined,
      message: expect.stringMatching(/cannot reach/),
    });
  });

  it('fails on a timeout, a closed connection or invalid JSON', async () => {
    expect((await failing(() => {}, { timeoutMs: 50 })).message).toContain('in time');
    expect((await failing((_, response) => response.socket?.destroy())).message).toContain('cannot reach');
    expect((await failing((_, response) => response.end('nonsense'))).message).toContain('not JSON');
  });

  it('fails on a key that does not match the certificate, and on an invalid address', async () => {
    const key = new Secret(fixture('server.key'));
    const proof = { kind: 'certificate', certificate: fixture('node.crt'), key } as const;
    for (const more of [{ proof }, { server: 'https://[x' }]) {
      expect(await failing(status(200), more)).toMatchObject({
        message: expect.stringMatching(/cannot use the credential .* \(\w+\)/),
      });
    }
  });
});

describe('parseObject', () => {
  it('returns an object, or undefined', () => {
    expect(parseObject('{"a":1}')).toEqual({ a: 1 });
    for (const line of ['', '[1]', 'null', '7', '{"a"']) expect(parseObject(line)).toBeUndefined();
  });
});

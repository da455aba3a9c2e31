import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import { fixture, withApiServer } from './api-server.testing.ts';
import { ApiFailure, parseObject } from './api-server.ts';

describe('an API server', () => {
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

  it.each([401, 403, 409, 422, 500])('that answers %i is told as that, without its words', async (code) => {
    const failure = await failing(status(code));
    expect([failure.status, failure.message]).toEqual([code, expect.stringContaining(`(${code})`)]);
    expect(failure.message).not.toContain('secret');
  });

  it('with another certificate is not spoken to', async () => {
    expect(await failing(status(200), { authority: fixture('node.crt') })).toMatchObject({
      status: undefined,
      message: expect.stringMatching(/cannot be reached/),
    });
  });

  it('that does not answer, breaks off or talks nonsense is a failure', async () => {
    expect((await failing(() => {}, { timeoutMs: 50 })).message).toContain('in time');
    expect((await failing((_, response) => response.socket?.destroy())).message).toContain('cannot be reached');
    expect((await failing((_, response) => response.end('nonsense'))).message).toContain('not JSON');
  });

  it('is not reached with a credential that is none: a key of another certificate, an address that is none', async () => {
    const key = new Secret(fixture('server.key'));
    const proof = { kind: 'certificate', certificate: fixture('node.crt'), key } as const;
    for (const more of [{ proof }, { server: 'https://[x' }]) {
      expect(await failing(status(200), more)).toMatchObject({
        message: expect.stringMatching(/cannot be used \(\w+\)/),
      });
    }
  });
});

describe('a line of an answer', () => {
  it('is an object, or nothing', () => {
    expect(parseObject('{"a":1}')).toEqual({ a: 1 });
    for (const line of ['', '[1]', 'null', '7', '{"a"']) expect(parseObject(line)).toBeUndefined();
  });
});

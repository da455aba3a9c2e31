import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { requestMetadata, statusFailure } from './http.ts';

/** The requests that the service receives, and the result. */
async function withService<T>(answer: RequestListener, act: (url: URL) => Promise<T>): Promise<T> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await act(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
const failure = (answer: RequestListener, timeoutMs = 5000) =>
  withService(answer, (url) =>
    requestMetadata({ url, timeoutMs }).then(
      () => undefined,
      (error) => error.reason as string,
    ),
  );

describe('a request to the metadata service', () => {
  it('sends the request and returns the whole response for any status', async () => {
    const answer: RequestListener = (request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => response.writeHead(404).end(`${request.method} ${request.headers.metadata} ${body}`));
    };
    const { status, body } = await withService(answer, (url) =>
      requestMetadata({ url, method: 'PUT', headers: { Metadata: 'true' }, body: 'b', timeoutMs: 5000 }),
    );
    expect([status, body.toString()]).toEqual([404, 'PUT true b']);
  });

  it.each<[string, RequestListener, number?]>([
    ['metadata/timed-out', () => {}, 30],
    ['metadata/timed-out', (_, response) => void response.write('half'), 30],
    ['metadata/bad-answer', (_, response) => void response.socket?.destroy()],
    ['metadata/bad-answer', (_, response) => void response.socket?.end('nonsense\r\n\r\n')],
    ['metadata/too-large', (_, response) => void response.end(Buffer.alloc((512 << 10) + 1))],
  ])('fails with %s: case %#', async (reason, answer, timeoutMs) => {
    expect(await failure(answer, timeoutMs)).toBe(reason);
  });

  it('fails with metadata/refused if nothing listens', async () => {
    const gone = await withService(
      () => {},
      async (url) => url,
    );
    await expect(requestMetadata({ url: gone, timeoutMs: 5000 })).rejects.toMatchObject({ reason: 'metadata/refused' });
  });

  it('rejects with the reason of its signal', async () => {
    const stop = new AbortController();
    const answer: RequestListener = () => stop.abort(new Error('enough'));
    await expect(
      withService(answer, (url) => requestMetadata({ url, timeoutMs: 5000, signal: stop.signal })),
    ).rejects.toThrow('enough');
  });
});

describe('statusFailure', () => {
  const nowMs = Date.UTC(2026, 10, 16, 5);
  const failed = (status: number, retryAfter?: string) =>
    statusFailure(
      { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter }, body: Buffer.from('secret') },
      nowMs,
    );

  it.each([
    [404, 'metadata/not-found'],
    [410, 'metadata/gone'],
    [429, 'metadata/throttled'],
    [503, 'metadata/server-error'],
    [302, 'metadata/bad-answer'],
    [400, 'metadata/bad-answer'],
  ])('maps %i to %s without quoting the response', (status, reason) => {
    expect(failed(status).reason).toBe(reason);
    expect(failed(status).message).not.toContain('secret');
  });

  it.each([
    ['120', 120_000],
    ['Mon, 16 Nov 2026 05:00:30 GMT', 30_000],
    ['Mon, 16 Nov 2026 04:00:00 GMT', 0],
    ['soon', undefined],
    [undefined, undefined],
  ])('reads Retry-After %j as %j', (retryAfter, ms) => {
    expect(failed(429, retryAfter).retryAfterMs).toBe(ms);
  });
});

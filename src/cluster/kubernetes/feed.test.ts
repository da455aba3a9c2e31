import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { type Feed, openFeed, SIGNER } from './feed.ts';

type Handler = (request: IncomingMessage, answer: ServerResponse) => void;

let handler: Handler;
const folder = mkdtempSync(join(tmpdir(), 'headstart-feed-'));
const server = createServer((request, answer) => handler(request, answer));
let feed: Feed;
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  const kubeconfig = join(folder, 'kubeconfig');
  const named = (kind: string, value: object) => [{ name: 'n', [kind]: value }];
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'n',
    clusters: named('cluster', { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true }),
    users: named('user', { token: 'none' }),
    contexts: named('context', { cluster: 'n', user: 'n' }),
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  feed = await openFeed({ kubeconfig, nodeName: 'pool-000001', clock: systemClock });
});
afterEach(() => server.closeAllConnections());
afterAll(async () => {
  await new Promise((done) => server.close(done));
  rmSync(folder, { recursive: true });
});

const json = (answer: ServerResponse, status: number, body: object) =>
  answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const line = (type: string, name: string) => `${JSON.stringify({ type, object: { metadata: { name } } })}\n`;

describe('a list', () => {
  it.each([
    ['requests', '/apis/certificates.k8s.io/v1/certificatesigningrequests', `spec.signerName=${SIGNER}`],
    ['nodes', '/api/v1/nodes', 'metadata.name=pool-000001'],
    ['pods', '/api/v1/pods', 'spec.nodeName=pool-000001'],
  ] as const)('of %s selects only those of the node', async (what, path, selector) => {
    const asked: URL[] = [];
    handler = (request, answer) => {
      asked.push(new URL(request.url!, 'http://server'));
      json(answer, 200, { items: [{ metadata: { name: 'one' } }], metadata: { resourceVersion: '7' } });
    };
    const { objects, version } = await feed.list(what, AbortSignal.timeout(10_000));
    expect(asked.map((url) => [url.pathname, url.searchParams.get('fieldSelector')])).toEqual([[path, selector]]);
    expect([objects.length, version]).toEqual([1, '7']);
  });
});

describe('a watch', () => {
  const changes: [string, unknown][] = [];
  const watch = (signal = AbortSignal.timeout(10_000)) => {
    changes.length = 0;
    const onChange = (change: string, object: unknown) =>
      changes.push([change, (object as { metadata?: { name?: string } }).metadata?.name]);
    return feed.watch('nodes', '7', { onOpen: () => {}, onChange }, signal);
  };

  it('reports changes and deletions, and ends with the connection', async () => {
    handler = (_, answer) => {
      answer.writeHead(200, { 'content-type': 'application/json' });
      answer.end(line('ADDED', 'a') + line('MODIFIED', 'a') + line('BOOKMARK', 'b') + line('DELETED', 'a'));
    };
    expect(await watch()).toBe('ended');
    expect(changes).toEqual([
      ['put', 'a'],
      ['put', 'a'],
      ['bookmark', 'b'],
      ['deleted', 'a'],
    ]);
  });

  it('of an expired version returns gone, for an error line and for a status', async () => {
    handler = (_, answer) => {
      answer.writeHead(200, { 'content-type': 'application/json' }).end(line('ERROR', 'expired'));
    };
    expect(await watch()).toBe('gone');
    handler = (_, answer) => json(answer, 410, { kind: 'Status', code: 410 });
    expect(await watch()).toBe('gone');
  });

  it('that is forbidden throws', async () => {
    handler = (_, answer) => json(answer, 403, { kind: 'Status', code: 403 });
    await expect(watch()).rejects.toMatchObject({ code: expect.stringMatching(/\//) });
  });

  it('ends when the caller aborts, even if the server never answers', async () => {
    const stop = new AbortController();
    handler = () => stop.abort();
    expect(await watch(stop.signal)).toBe('ended');
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { TransientError } from '../../base/errors.ts';
import { onTrace } from '../../base/trace.ts';
import type { Node } from '../cluster.ts';
import { kubernetesCluster } from './cluster.ts';
import { connectCluster, MERGE_PATCH } from './connect.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-connect-'));
afterAll(() => rmSync(folder, { recursive: true }));
let server: Server | undefined;
afterEach(() => new Promise<void>((done) => (server ? server.close(() => done()) : done())));

function kubeconfig(url: string, namespace?: string, user: object = { token: 't0ken' }): string {
  const path = join(folder, 'kubeconfig');
  const cluster = { server: url, 'insecure-skip-tls-verify': true };
  const text = {
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'one', context: { cluster: 'c', user: 'u', namespace } }],
    'current-context': 'one',
  };
  writeFileSync(path, JSON.stringify(text));
  return path;
}

interface Got {
  method: string;
  url: string;
  contentType: string | undefined;
  authorization: string | undefined;
  body: string;
}

/** Sends the same response to every request, and records the requests. */
async function answering(status: number, body: object, headers: Record<string, string> = {}) {
  const got: Got[] = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { 'content-type': contentType, authorization } = request.headers;
      const { method = '', url = '' } = request;
      got.push({ method, url, contentType, authorization, body: Buffer.concat(chunks).toString() });
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((ready) => server!.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { got, path: kubeconfig(url) };
}

describe('which cluster', () => {
  const clock = systemClock;

  it('is that of the context, with its namespace by default', async () => {
    const path = kubeconfig('http://127.0.0.1:1', 'team');
    expect((await connectCluster({ kubeconfig: path, clock })).namespace).toBe('team');
    expect((await connectCluster({ kubeconfig: path, clock, namespace: 'other' })).namespace).toBe('other');
    expect((await connectCluster({ kubeconfig: kubeconfig('http://127.0.0.1:1'), clock })).namespace).toBe('default');
  });

  it('must be a known context', async () => {
    const missing = connectCluster({ kubeconfig: join(folder, 'missing'), clock });
    await expect(missing).rejects.toMatchObject({ code: 'cluster/no-kubeconfig', exitCode: 2 });
    const path = kubeconfig('http://127.0.0.1:1');
    const other = connectCluster({ kubeconfig: path, context: 'two', clock });
    await expect(other).rejects.toThrow('there is no context "two" in the kubeconfig; known: one');
  });

  it.each(['127.0.0.1:6443', 'localhost:6443', ''])('cannot be at %j, which is not a URL', async (server) => {
    const found = connectCluster({ kubeconfig: kubeconfig(server), clock });
    await expect(found).rejects.toMatchObject({ code: 'cluster/no-kubeconfig' });
  });

  it('cannot come from a file that is not a kubeconfig, whose text is not shown', async () => {
    const path = join(folder, 'odd');
    for (const text of ['', 'a: [s3cret', '[]', 'clusters: s3cret']) {
      writeFileSync(path, text);
      const error = await connectCluster({ kubeconfig: path, clock }).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'cluster/no-kubeconfig' });
      expect(String(error)).not.toContain('s3cret');
    }
  });
});

describe('a login', () => {
  const exec = (command: string, ...args: string[]) => ({
    exec: { apiVersion: 'client.authentication.k8s.io/v1', command, args, interactiveMode: 'Never' },
  });

  it.each([
    [exec('no-such-login'), 'cluster/login-failed', /no-such-login cannot be run \(ENOENT\)/],
    [exec('sh', '-c', 'echo not logged in >&2; exit 1'), 'cluster/login-failed', /sh failed: not logged in$/],
    [exec('false'), 'cluster/login-failed', /false failed: it gave no reason/],
    [exec('echo', 'no json'), 'cluster/login-failed', /echo failed/],
    [
      { 'client-certificate': '/no/such.crt', 'client-key': '/no/such.key' },
      'cluster/no-kubeconfig',
      /names \/no\/such\.\w+, which cannot be read \(ENOENT\)/,
    ],
  ])('with %j that fails is a user error', async (user, code, message) => {
    const path = kubeconfig('https://127.0.0.1:9', undefined, user);
    const cluster = await kubernetesCluster({ kubeconfig: path, clock: systemClock });
    await expect(cluster.listNodes()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('with a certificate that is briefly unreadable fails as transient, as during a rotation', async () => {
    const user = { 'client-certificate': '/no/such.crt', 'client-key': '/no/such.key' };
    const path = kubeconfig('https://127.0.0.1:9', undefined, user);
    const cluster = await kubernetesCluster({ kubeconfig: path, clock: systemClock });
    await expect(cluster.listNodes()).rejects.toBeInstanceOf(TransientError);
  });
});

describe('a request', () => {
  it('changes a node by a merge patch with the version it was read at', async () => {
    const { got, path } = await answering(200, { metadata: { name: 'n1' } });
    const cluster = await kubernetesCluster({ kubeconfig: path, clock: systemClock });
    const node = (await cluster.readNode('n1'))!;
    await cluster.changeNode({ ...node, uid: 'u', resourceVersion: '7' }, { isUnschedulable: true });
    expect(got[1]).toMatchObject({ method: 'PATCH', url: '/api/v1/nodes/n1', contentType: MERGE_PATCH });
    expect(got[1]!.authorization).toBe('Bearer t0ken');
    expect(JSON.parse(got[1]!.body)).toEqual({
      metadata: { uid: 'u', resourceVersion: '7' },
      spec: { unschedulable: true },
    });
  });

  it('that is refused names the missing right, never the token', async () => {
    const { path } = await answering(403, { message: 'nodes is forbidden' });
    const cluster = await kubernetesCluster({ kubeconfig: path, clock: systemClock });
    const error = await cluster.listNodes().catch((reason: Error) => reason);
    expect(String(error)).toContain('no right to list nodes');
    expect(JSON.stringify([String(error), String((error as Error).cause)])).not.toContain('t0ken');
  });

  it('is traced with method, path, status and duration, and without the token', async () => {
    const lines: string[] = [];
    const stop = onTrace(({ to, text }) => lines.push(`${to}: ${text}`));
    const { path } = await answering(404, { metadata: { name: 'n1' }, data: 's3cret' });
    const cluster = await kubernetesCluster({ kubeconfig: path, clock: systemClock });
    await cluster.readNode('n1');
    stop();
    expect(lines).toEqual([expect.stringMatching(/^kubernetes: GET \/api\/v1\/nodes\/n1: 404 in \d+ ms$/)]);
    expect(lines.join()).not.toMatch(/t0ken|s3cret/);
  });

  it('to an unreachable server names the server and the context', async () => {
    const cluster = await kubernetesCluster({ kubeconfig: kubeconfig('http://127.0.0.1:9'), clock: systemClock });
    await expect(cluster.listNodes()).rejects.toMatchObject({
      code: 'cluster/unreachable',
      message: expect.stringMatching(/http:\/\/127\.0\.0\.1:9 .*context one in .*kubeconfig/),
      next: expect.stringMatching(/`kubectl --kubeconfig \S+ get nodes`/),
    });
  });

  it('is not sent after the caller aborted', async () => {
    const { got, path } = await answering(200, {});
    const cluster = await kubernetesCluster({ kubeconfig: path, clock: systemClock });
    await expect(cluster.listNodes(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    expect(got).toEqual([]);
  });

  it('that changes something is not aborted on its way', async () => {
    const control = new AbortController();
    const host = createServer((request, response) => {
      control.abort(new Error('enough'));
      request.resume().on('end', () => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ kind: 'Node', metadata: { name: 'n' } }));
      });
    });
    server = host;
    await new Promise<void>((listening) => host.listen(0, '127.0.0.1', listening));
    const path = kubeconfig(`http://127.0.0.1:${(host.address() as AddressInfo).port}`);
    const cluster = await kubernetesCluster({ kubeconfig: path, clock: systemClock });
    const node = { name: 'n', uid: 'u', resourceVersion: '1' } as Node;
    await cluster.changeNode(node, { isUnschedulable: true }, control.signal);
    expect(control.signal.aborted).toBe(true);
  });

  it('for a script requires an image before anything is sent', async () => {
    const { got, path } = await answering(200, {});
    const cluster = await kubernetesCluster({ kubeconfig: path, clock: systemClock });
    await expect(cluster.runOnNode('n1', 'true', { deadlineMs: 1 })).rejects.toMatchObject({
      code: 'cluster/no-helper-image',
    });
    expect(got).toEqual([]);
  });
});

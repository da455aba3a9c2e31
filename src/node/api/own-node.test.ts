// The API server here is a small one on a loopback port; what a real one makes of these requests is for e2e/node-own-object.test.ts.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import { ApiFailure } from './api-server.ts';
import type { KubeletCredential } from './kubelet-credential.ts';
import { type NodeMetadata, type OwnNode, ownNode } from './own-node.ts';

const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8');
const [cert, key] = [fixture('server.crt'), fixture('server.key')];

interface Seen {
  method: string;
  path: string;
  type: string | undefined;
  accept: string | undefined;
  subject: string;
  body: unknown;
}

async function withApiServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  act: (node: OwnNode, seen: Seen[]) => Promise<void>,
  more: Partial<KubeletCredential> & { timeoutMs?: number } = {},
): Promise<void> {
  const seen: Seen[] = [];
  const server = createServer({ cert, key, ca: fixture('node.crt'), requestCert: true }, (request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const subject = (request.socket as TLSSocket).getPeerCertificate().subject?.CN;
      const { method = '', url: path = '', headers } = request;
      const parsed: unknown = body === '' ? undefined : JSON.parse(body);
      seen.push({
        method,
        path,
        type: headers['content-type'],
        accept: headers.accept,
        subject: String(subject),
        body: parsed,
      });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const credential: KubeletCredential = {
    server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authority: cert,
    serverName: undefined,
    nodeName: 'pool1-000003',
    proof: { kind: 'certificate', certificate: fixture('node.crt'), key: new Secret(fixture('node.key')) },
    ...more,
  };
  try {
    await act(ownNode({ credential: async () => credential, timeoutMs: more.timeoutMs ?? 5000 }), seen);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const aNode = {
  metadata: { name: 'pool1-000003', uid: 'u', labels: { a: 'b' }, annotations: { c: 'd' } },
  spec: {
    unschedulable: true,
    taints: [
      { key: 'k', value: 'v', effect: 'NoSchedule' },
      { key: 'l', effect: 'NoExecute' },
    ],
  },
  status: {
    conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2026-11-16T05:00:00Z', reason: 'KubeletReady' }],
  },
};
const json = (value: unknown) => (_: IncomingMessage, response: ServerResponse) => response.end(JSON.stringify(value));

describe('its own Node', () => {
  it('is read with the certificate of kubelet, and only by its name', async () => {
    await withApiServer(json(aNode), async (node, seen) => {
      expect(await node.get()).toEqual({
        name: 'pool1-000003',
        uid: 'u',
        labels: { a: 'b' },
        annotations: { c: 'd' },
        taints: [
          { key: 'k', value: 'v', effect: 'NoSchedule' },
          { key: 'l', value: '', effect: 'NoExecute' },
        ],
        isUnschedulable: true,
        ready: { isReady: true, heartbeatMs: Date.UTC(2026, 10, 16, 5), reason: 'KubeletReady', message: '' },
      });
      expect(seen).toMatchObject([
        { method: 'GET', path: '/api/v1/nodes/pool1-000003', subject: 'system:node:pool1-000003' },
      ]);
    });
  });

  it('is changed by patches that touch nothing else', async () => {
    await withApiServer(json({}), async (node, seen) => {
      const condition = {
        type: 'ConfigApplied',
        status: 'True',
        reason: 'OkApplied',
        message: 'x',
        lastTransitionTime: 't',
        lastHeartbeatTime: 'h',
      } as const;
      await node.patchMetadata({ annotations: { a: 'b', c: null } });
      await node.patchCondition(condition);
      await node.createEvent({ type: 'Normal', reason: 'ConfigApplied', message: 'm'.repeat(2000), time: 't' });
      await node.cordon({ isCordoned: false, annotations: { a: null } });
      await node.evict({ namespace: 'shop', name: 'web-0' });
      expect(seen.map(({ method, path, type }) => `${method} ${path} ${type}`)).toEqual([
        'PATCH /api/v1/nodes/pool1-000003 application/merge-patch+json',
        'PATCH /api/v1/nodes/pool1-000003/status application/strategic-merge-patch+json',
        'POST /api/v1/namespaces/default/events application/json',
        'PATCH /api/v1/nodes/pool1-000003 application/merge-patch+json',
        'POST /api/v1/namespaces/shop/pods/web-0/eviction application/json',
      ]);
      expect(seen[0]!.body).toEqual({ metadata: { annotations: { a: 'b', c: null } } });
      expect(seen[1]!.body).toEqual({ status: { conditions: [condition] } });
      expect(seen[2]!.body).toMatchObject({
        involvedObject: { kind: 'Node', name: 'pool1-000003', uid: 'pool1-000003' },
        message: 'm'.repeat(1024),
      });
      expect(seen[3]!.body).toEqual({ metadata: { annotations: { a: null } }, spec: { unschedulable: null } });
    });
  });

  it('is watched by its name and without its status, piece by piece as it comes', async () => {
    const event = (type: string, annotations: object) =>
      `${JSON.stringify({ type, object: { metadata: { name: 'n', annotations } } })}\n`;
    const lines = Buffer.from(
      `${event('ADDED', { a: 'ü' })}${event('BOOKMARK', {})}not json\n${event('MODIFIED', { a: '2' })}${event('DELETED', {})}`,
    );
    await withApiServer(
      (_, response) => {
        const at = lines.indexOf('ü') + 1; // in the middle of a letter
        response.write(lines.subarray(0, at));
        setImmediate(() => response.end(lines.subarray(at)));
      },
      async (node, seen) => {
        const heard: NodeMetadata[] = [];
        await node.watchMetadata((metadata) => heard.push(metadata), new AbortController().signal);
        expect(heard.map(({ annotations }) => annotations)).toEqual([{ a: 'ü' }, { a: '2' }]);
        const query = new URL(seen[0]!.path, 'https://x').searchParams;
        expect(Object.fromEntries(query)).toEqual({
          watch: 'true',
          fieldSelector: 'metadata.name=pool1-000003',
          timeoutSeconds: '300',
        });
        expect(seen[0]!.accept).toContain('PartialObjectMetadata');
      },
    );
  });

  it('is watched until it is told to stop', async () => {
    await withApiServer(
      (_, response) => void response.write('{"type":"ADDED","object":{"metadata":{}}}\n'),
      async (node) => {
        const stop = new AbortController();
        const watching = node.watchMetadata(() => stop.abort(new Error('enough')), stop.signal);
        await expect(watching).rejects.toThrow('enough');
      },
    );
  });

  it('lists the pods that are bound to it, and tells those that stay', async () => {
    const items = [
      {
        metadata: { namespace: 'a', name: 'b', ownerReferences: [{ kind: 'DaemonSet', controller: true }] },
        status: { phase: 'Running' },
      },
      {
        metadata: {
          namespace: 'c',
          name: 'd',
          annotations: { 'kubernetes.io/config.mirror': 'x' },
          deletionTimestamp: 't',
        },
      },
    ];
    await withApiServer(json({ items }), async (node, seen) => {
      expect(await node.pods()).toEqual([
        { namespace: 'a', name: 'b', phase: 'Running', ownerKind: 'DaemonSet', isMirror: false, isTerminating: false },
        { namespace: 'c', name: 'd', phase: '', isMirror: true, isTerminating: true },
      ]);
      expect(seen[0]!.path).toBe('/api/v1/pods?fieldSelector=spec.nodeName%3Dpool1-000003');
    });
  });
});

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

  it('that knows no such Node has none', async () => {
    await withApiServer(status(404), async (node) => expect(await node.get()).toBeUndefined());
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

  it('is not looked for without a credential', async () => {
    const node = ownNode({ credential: async () => ({ why: 'kubelet has no kubeconfig yet' }) });
    await expect(node.get()).rejects.toThrow('no kubeconfig yet');
  });
});

// Uses a small API server on a loopback port; e2e/node-own-object.test.ts tests these requests against a real one.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { withApiServer } from './api-server.testing.ts';
import { type NodeMetadata, ownNode } from './own-node.ts';

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

describe('ownNode', () => {
  it("reads the Node by name with kubelet's certificate", async () => {
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

  it('changes the Node with patches that change nothing else', async () => {
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

  it('watches the metadata by name, and parses lines that arrive in pieces', async () => {
    const event = (type: string, annotations: object) =>
      `${JSON.stringify({ type, object: { metadata: { name: 'n', annotations } } })}\n`;
    const lines = Buffer.from(
      `${event('ADDED', { a: 'ü' })}${event('BOOKMARK', {})}not json\n${event('MODIFIED', { a: '2' })}${event('DELETED', {})}`,
    );
    await withApiServer(
      (_, response) => {
        const at = lines.indexOf('ü') + 1; // in the middle of a character
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

  it('watches until it is aborted', async () => {
    await withApiServer(
      (_, response) => void response.write('{"type":"ADDED","object":{"metadata":{}}}\n'),
      async (node) => {
        const stop = new AbortController();
        const watching = node.watchMetadata(() => stop.abort(new Error('enough')), stop.signal);
        await expect(watching).rejects.toThrow('enough');
      },
    );
  });

  it('lists the pods of the node, and marks static and terminating ones', async () => {
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

  it('returns undefined if the Node does not exist', async () => {
    await withApiServer(
      (_, response) => response.writeHead(404).end(),
      async (node) => expect(await node.get()).toBeUndefined(),
    );
  });

  it('sends no request without a credential', async () => {
    const node = ownNode({ credential: async () => ({ why: 'kubelet has no kubeconfig yet' }) });
    await expect(node.get()).rejects.toThrow('no kubeconfig yet');
  });
});

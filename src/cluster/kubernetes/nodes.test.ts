import { describe, expect, it } from 'vitest';
import { Conflict, NotFound } from '../../base/failures.ts';
import { changeBody, nodeCalls, toNode } from './nodes.ts';
import { clientOf } from './testing.ts';

const SINCE = new Date('2026-01-01T00:00:00Z');

describe('a Node object', () => {
  it('is converted to our type', () => {
    const node = toNode({
      metadata: { name: 'n1', uid: 'u', resourceVersion: '7', annotations: { a: 'b' } },
      spec: { unschedulable: true, providerID: 'azure:///x', taints: [{ key: 'k', effect: 'NoSchedule' }] },
      status: {
        conditions: [
          { type: 'Ready', status: 'True', lastTransitionTime: SINCE },
          { type: 'DiskPressure', status: 'True' },
          { type: 'MemoryPressure', status: 'False' },
          { type: 'NetworkUnavailable', status: 'True' },
        ],
      },
    });
    expect(node).toMatchObject({
      name: 'n1',
      uid: 'u',
      resourceVersion: '7',
      isUnschedulable: true,
      isReady: true,
      readySinceMs: SINCE.getTime(),
      troubles: ['DiskPressure', 'NetworkUnavailable'],
      taints: [{ key: 'k', effect: 'NoSchedule' }],
    });
  });

  it('without conditions is not ready', () => {
    expect(toNode({})).toMatchObject({ isReady: false, isUnschedulable: false, providerId: '', troubles: [] });
    const unknown = toNode({
      status: { conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime: SINCE }] },
    });
    expect(unknown.isReady).toBe(false);
    expect(unknown.readySinceMs).toBeUndefined();
  });

  it('is changed only if it is unchanged since it was read', () => {
    const node = toNode({ metadata: { name: 'n1', uid: 'u', resourceVersion: '7' } });
    expect(changeBody(node, { isUnschedulable: false, annotations: { a: null } })).toEqual({
      metadata: { uid: 'u', resourceVersion: '7', annotations: { a: null } },
      spec: { unschedulable: null },
    });
    expect(changeBody(node, { annotations: {} })).toEqual({
      metadata: { uid: 'u', resourceVersion: '7', annotations: {} },
    });
  });
});

describe('a change of a node', () => {
  it('that was deleted meanwhile is a conflict, not a missing node', async () => {
    const { changeNode } = nodeCalls(
      clientOf({
        patchNode: async () => {
          throw new NotFound('node n1 does not exist');
        },
      }),
    );
    await expect(changeNode(toNode({ metadata: { name: 'n1' } }), {})).rejects.toThrow(Conflict);
  });

  it('sends a merge patch for exactly that node', async () => {
    const sent: unknown[] = [];
    const { changeNode } = nodeCalls(clientOf({ patchNode: async (request: unknown) => sent.push(request) }));
    await changeNode(toNode({ metadata: { name: 'n1', uid: 'u', resourceVersion: '7' } }), { isUnschedulable: true });
    expect(sent).toEqual([
      { name: 'n1', body: { metadata: { uid: 'u', resourceVersion: '7' }, spec: { unschedulable: true } } },
    ]);
  });
});

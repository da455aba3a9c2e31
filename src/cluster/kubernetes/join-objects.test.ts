import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readNode, readPod, readRequest, resourceVersionOf } from './join-objects.ts';
import { nodeObject, requestObject } from './testing.ts';

const AT = Date.UTC(2026, 0, 1);

describe('an object of the API', () => {
  it('of any shape is read or skipped, and never throws', () => {
    fc.assert(
      fc.property(fc.anything(), (object) => {
        for (const read of [readRequest, readNode, readPod, resourceVersionOf])
          expect(() => read(object)).not.toThrow();
      }),
    );
  });

  it.each([undefined, null, 'text', {}, { metadata: { name: 'n' } }, { metadata: { name: 1, uid: 'u' } }])(
    'without a name and a uid (%j) is left out',
    (object) => {
      expect([readRequest(object), readNode(object), readPod(object)]).toEqual([undefined, undefined, undefined]);
    },
  );
});

describe('a signing request', () => {
  it('has the node name, the decisions, and whether it was issued', () => {
    const request = readRequest(requestObject('r', AT, { decided: ['Approved'], isIssued: true }));
    expect(request).toMatchObject({ createdMs: AT, commonName: 'system:node:pool-000001', isIssued: true });
    expect(request?.decisions.map(({ type }) => type)).toEqual(['Approved']);
  });

  it('with an empty certificate is not issued', () => {
    const request = readRequest({ ...requestObject('r', AT), status: { certificate: '' } });
    expect(request?.isIssued).toBe(false);
  });
});

describe('a node that comes up', () => {
  it('has only the taints that Kubernetes sets on a starting node', () => {
    const taints = ['node.kubernetes.io/not-ready', 'dedicated'];
    expect(readNode(nodeObject('n', AT, { taints }))?.startTaints).toEqual(['node.kubernetes.io/not-ready']);
  });

  it.each([
    ['True', true],
    ['False', false],
    ['Unknown', false],
  ] as const)('with Ready %s is ready: %s', (ready, isReady) => {
    expect(readNode(nodeObject('n', AT, { ready }))?.isReady).toBe(isReady);
  });
});

describe('a pod', () => {
  it('has the times of binding and of container starts, from Dates and from strings', () => {
    const pod = (stamp: unknown) => ({
      metadata: { namespace: 'ns', name: 'p', uid: 'u' },
      status: {
        phase: 'Running',
        conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: stamp }],
        containerStatuses: [{ state: { running: { startedAt: stamp } } }, { state: { waiting: {} } }],
      },
    });
    const seen = { name: 'ns/p', uid: 'u', phase: 'Running', boundMs: AT, runsMs: [AT] };
    expect(readPod(pod(new Date(AT)))).toEqual(seen);
    expect(readPod(pod(new Date(AT).toISOString()))).toEqual(seen);
    expect(readPod(pod('yesterday'))).toEqual({ name: 'ns/p', uid: 'u', phase: 'Running', runsMs: [] });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readNode, readPod, readRequest, versionOf } from './join-objects.ts';

const AT = '2026-01-01T00:00:00Z';
const AT_MS = Date.parse(AT);
const metadata = { name: 'n1', uid: 'u', creationTimestamp: AT };

describe('an object of a list or a watch', () => {
  it('is read the same with a date and with text', () => {
    const withText = { metadata, status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: AT }] } };
    const withDate = {
      metadata: { ...metadata, creationTimestamp: new Date(AT) },
      status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: new Date(AT) }] },
    };
    expect(readNode(withText)).toEqual(readNode(withDate));
    expect(readNode(withText)).toMatchObject({ isReady: true, createdMs: AT_MS, changedMs: AT_MS });
  });

  it('without a name or a uid is none', () => {
    expect(readNode({ metadata: { name: 'n1' } })).toBeUndefined();
    expect(readPod({})).toBeUndefined();
    expect(readRequest({ metadata })).toBeUndefined();
  });

  it('whatever it is, is read without an error', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (value, spec, status) => {
        for (const read of [readNode, readPod, readRequest, versionOf]) {
          read(value);
          read({ metadata, spec, status });
        }
      }),
    );
  });
});

describe('a Node', () => {
  it('has the taints of a start, and no others', () => {
    const taints = [{ key: 'node.kubernetes.io/not-ready' }, { key: 'mine/own' }, {}];
    expect(readNode({ metadata, spec: { taints } })?.startTaints).toEqual(['node.kubernetes.io/not-ready']);
  });

  it('that no kubelet has spoken for is not ready, and has no boot', () => {
    expect(readNode({ metadata })).toEqual({
      ...{ name: 'n1', uid: 'u', createdMs: AT_MS },
      ...{ bootId: '', isReady: false, startTaints: [] },
    });
  });
});

describe('a Pod', () => {
  it('tells when it was bound and when its running containers started', () => {
    const pod = {
      metadata: { ...metadata, namespace: 'shop' },
      status: {
        phase: 'Running',
        conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: AT }],
        containerStatuses: [{ state: { running: { startedAt: AT } } }, { state: { waiting: {} } }],
      },
    };
    expect(readPod(pod)).toMatchObject({ name: 'shop/n1', phase: 'Running', boundMs: AT_MS, runsMs: [AT_MS] });
  });
});

describe('a request for a certificate', () => {
  it('is issued once it has a certificate', () => {
    const request = (certificate?: string) => ({ metadata, spec: { request: 'bm8=' }, status: { certificate } });
    expect(readRequest(request())?.isIssued).toBe(false);
    expect(readRequest(request(''))?.isIssued).toBe(false);
    expect(readRequest(request('x'))?.isIssued).toBe(true);
  });

  it('keeps what was decided, in order', () => {
    const conditions = [{ type: 'Approved', reason: 'r', message: 'm', lastUpdateTime: AT }, { type: 'Failed' }];
    expect(readRequest({ metadata, spec: { request: 'bm8=' }, status: { conditions } })?.decisions).toEqual([
      { type: 'Approved', reason: 'r', message: 'm', atMs: AT_MS },
      { type: 'Failed', reason: '', message: '' },
    ]);
  });
});

it('an empty version is no version', () => {
  expect(versionOf({ metadata: { resourceVersion: '' } })).toBeUndefined();
  expect(versionOf({ metadata: { resourceVersion: '7' } })).toBe('7');
});

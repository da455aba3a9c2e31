import { describe, expect, it } from 'vitest';
import { toToken } from './bootstrap-tokens.ts';
import { isExpired, toLease } from './leases.ts';
import { changeBody, toNode } from './nodes.ts';
import { toPod } from './pods.ts';

const SINCE = new Date('2026-01-01T00:00:00Z');

describe('a Node object', () => {
  it('is read into our words', () => {
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

  it('that says nothing is not ready', () => {
    expect(toNode({})).toMatchObject({ isReady: false, isUnschedulable: false, providerId: '', troubles: [] });
    const unknown = toNode({
      status: { conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime: SINCE }] },
    });
    expect(unknown.isReady).toBe(false);
    expect(unknown.readySinceMs).toBeUndefined();
  });

  it('is changed only as the one that was read', () => {
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

describe('a Pod object', () => {
  it('is read into our words', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'ru' };
    const pod = toPod(
      {
        metadata: {
          namespace: 'ns',
          name: 'p',
          uid: 'u',
          deletionTimestamp: SINCE,
          ownerReferences: [owner, { ...owner, kind: 'StatefulSet', controller: true }],
          annotations: { 'kubernetes.io/config.mirror': 'hash' },
        },
        spec: { containers: [], volumes: [{ name: 'v', emptyDir: {} }], terminationGracePeriodSeconds: 30 },
        status: { phase: 'Running' },
      },
      true,
    );
    expect(pod).toEqual({
      namespace: 'ns',
      name: 'p',
      uid: 'u',
      ownerKind: 'StatefulSet',
      ownerExists: true,
      isMirror: true,
      hasEmptyDir: true,
      phase: 'Running',
      deletionMs: SINCE.getTime(),
      graceSeconds: 30,
    });
  });

  it('without a controller has no owner', () => {
    expect(toPod({}, true).ownerKind).toBeUndefined();
    expect(toPod({ status: { phase: 'Odd' } }, true).phase).toBe('Unknown');
  });
});

describe('a Lease object', () => {
  it('expires by the server’s clock, with room for its whole seconds', () => {
    const lease = toLease({ spec: { holderIdentity: 'run', leaseDurationSeconds: 10 } });
    expect(lease).toEqual({ holder: 'run', durationMs: 10_000, renewedMs: 0, note: '' });
    expect(isExpired(lease, 12_000)).toBe(false);
    expect(isExpired(lease, 12_001)).toBe(true);
  });
});

describe('the Secret of a bootstrap token', () => {
  const data = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));

  it('tells its end and its use, and keeps its secret', () => {
    const token = toToken(
      data({
        'token-id': 'abcdef',
        'token-secret': '0123456789abcdef',
        expiration: '2026-01-01T00:00:00Z',
        'usage-bootstrap-authentication': 'true',
      }),
    );
    expect(token).toEqual({ expiresMs: SINCE.getTime(), isForJoining: true });
  });

  it('without an end does not end; with one that cannot be read it is over', () => {
    expect(toToken({})).toEqual({ isForJoining: false });
    expect(toToken(data({ expiration: 'tomorrow' }))).toEqual({ expiresMs: 0, isForJoining: false });
  });
});

import { describe, expect, it } from 'vitest';
import type { KubeErrorResponse } from './failures.ts';
import { HELPER_LABEL } from './helper-pod.ts';
import { evictionOf, podCalls, toPod } from './pods.ts';
import { clientOf } from './testing.ts';

const SINCE = new Date('2026-01-01T00:00:00Z');

describe('a Pod object', () => {
  it('is converted to our type', () => {
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

describe('the answer to an eviction', () => {
  const answer = (over: Partial<KubeErrorResponse>): KubeErrorResponse => ({
    status: 429,
    reason: '',
    message: '',
    causes: [],
    ...over,
  });

  it.each([404, 409])('%i means that the pod is gone', (status) => {
    expect(evictionOf(answer({ status }))).toEqual({ outcome: 'gone' });
  });

  it('from a budget names the budget and the requested pause', () => {
    const causes = [
      { reason: 'DisruptionBudget', message: '' },
      { reason: 'DisruptionBudget', message: 'web needs 2 healthy pods' },
    ];
    expect(evictionOf(answer({ causes, message: 'Cannot evict', retryAfterMs: 5_000 }))).toEqual({
      outcome: 'blocked',
      reason: 'web needs 2 healthy pods',
      retryAfterMs: 5_000,
    });
    expect(evictionOf(answer({ message: 'Cannot evict' }))).toEqual({ outcome: 'blocked', reason: 'Cannot evict' });
  });

  it('blocks if the namespace is being deleted; any other refusal is an error', () => {
    const causes = [{ reason: 'NamespaceTerminating', message: '' }];
    expect(evictionOf(answer({ status: 403, causes }))).toMatchObject({ outcome: 'blocked' });
    expect(evictionOf(answer({ status: 403 }))).toBeUndefined();
  });

  it('500 without a reason means that several budgets select the pod; with one it is an internal error', () => {
    expect(evictionOf(answer({ status: 500 }))).toMatchObject({ outcome: 'stuck' });
    expect(evictionOf(answer({ status: 500, reason: 'InternalError' }))).toBeUndefined();
  });
});

describe('the pods of a node', () => {
  const owned = (name: string, uid: string) => ({
    metadata: {
      name,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agents', uid, controller: true }],
    },
  });

  it('are listed without the helper pod, and a DaemonSet with another uid is not their owner', async () => {
    const { listPods } = podCalls(
      clientOf(
        {
          listPodForAllNamespaces: async () => ({
            items: [
              owned('of-this-one', 'now'),
              owned('of-one-before', 'before'),
              { metadata: { name: 'helper', labels: { [HELPER_LABEL]: 'run' } } },
              { metadata: { name: 'bare' } },
            ],
          }),
        },
        { readNamespacedDaemonSet: async () => ({ metadata: { uid: 'now' } }) },
      ),
    );
    const pods = await listPods('n1');
    expect(pods.map(({ name, ownerExists }) => [name, ownerExists])).toEqual([
      ['of-this-one', true],
      ['of-one-before', false],
      ['bare', true],
    ]);
  });
});

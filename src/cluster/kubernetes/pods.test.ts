import { describe, expect, it } from 'vitest';
import { toPod } from './pods.ts';

const SINCE = new Date('2026-01-01T00:00:00Z');

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

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyPods, type DrainPod } from './which-pods.ts';

/** As a cluster lists it, with all fields set. */
type Pod = Required<Omit<DrainPod, 'ownerKind' | 'deletionMs'>> & Pick<DrainPod, 'ownerKind' | 'deletionMs'>;

function pod(more: Partial<Pod> = {}): Pod {
  return {
    ownerKind: 'ReplicaSet',
    ownerExists: true,
    isMirror: false,
    hasEmptyDir: false,
    phase: 'Running',
    ...more,
  };
}

function bare(more: Partial<Pod> = {}): Pod {
  const { ownerKind: _, ...rest } = pod(more);
  return rest;
}

describe('classifyPods', () => {
  const polite = { isForced: false };
  const forced = { isForced: true };
  const gone = pod({ ownerKind: 'DaemonSet', ownerExists: false });
  const cases: [string, Pod, Parameters<typeof classifyPods>[1], 'evict' | 'skip' | 'refuse'][] = [
    ['a replicated pod', pod(), polite, 'evict'],
    ['a DaemonSet pod', pod({ ownerKind: 'DaemonSet' }), polite, 'skip'],
    ['a DaemonSet pod, forced', pod({ ownerKind: 'DaemonSet' }), forced, 'skip'],
    ['a finished DaemonSet pod', pod({ ownerKind: 'DaemonSet', phase: 'Failed' }), polite, 'evict'],
    ['a pod whose DaemonSet is gone', gone, polite, 'refuse'],
    ['a pod whose DaemonSet is gone, forced', gone, forced, 'evict'],
    ['a static pod', bare({ isMirror: true }), polite, 'skip'],
    ['a static pod, forced', bare({ isMirror: true }), forced, 'skip'],
    ['a pod with emptyDir', pod({ hasEmptyDir: true }), polite, 'evict'],
    ['a pod with emptyDir to be kept', pod({ hasEmptyDir: true }), { ...forced, deleteEmptyDir: false }, 'refuse'],
    [
      'a finished pod with emptyDir to be kept',
      pod({ hasEmptyDir: true, phase: 'Succeeded' }),
      { ...polite, deleteEmptyDir: false },
      'evict',
    ],
    ['a bare pod', bare(), polite, 'refuse'],
    ['a bare pod, forced', bare(), forced, 'evict'],
    ['a finished bare pod', bare({ phase: 'Succeeded' }), polite, 'evict'],
    ['a long deleted bare pod', bare({ deletionMs: 5 }), { ...polite, deletedBeforeMs: 6 }, 'skip'],
    ['a just deleted pod', pod({ deletionMs: 6 }), { ...polite, deletedBeforeMs: 6 }, 'evict'],
  ];
  it.each(cases)('%s', (_, one, filter, fate) => {
    const { evict, skip, refuse } = classifyPods([one], filter);
    expect({ evict: evict.length, skip: skip.length, refuse: refuse.length }).toEqual({
      evict: 0,
      skip: 0,
      refuse: 0,
      [fate]: 1,
    });
  });

  it('assumes that an unknown owner exists', () => {
    const unknown = { ownerKind: 'DaemonSet', isMirror: false, phase: 'Running' };
    expect(classifyPods([unknown], forced)).toMatchObject({ evict: [], skip: [{ pod: unknown }] });
  });

  it('gives every pod exactly one fate, and force only removes refusals', () => {
    fc.assert(
      fc.property(fc.array(anyPod()), (pods) => {
        const calm = classifyPods(pods, polite);
        const rough = classifyPods(pods, forced);
        expect(calm.evict.length + calm.skip.length + calm.refuse.length).toBe(pods.length);
        expect(rough.refuse).toEqual([]);
        expect(rough.evict).toEqual(expect.arrayContaining(calm.evict));
        expect(rough.skip).toEqual(expect.arrayContaining(calm.skip));
      }),
    );
  });
});

function anyPod(): fc.Arbitrary<Pod> {
  return fc
    .record({
      ownerKind: fc.constantFrom(undefined, 'DaemonSet', 'ReplicaSet', 'Job'),
      ownerExists: fc.boolean(),
      isMirror: fc.boolean(),
      hasEmptyDir: fc.boolean(),
      phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
    })
    .map(({ ownerKind, ...rest }) => ({ ...bare(rest), ...(ownerKind && { ownerKind }) }));
}

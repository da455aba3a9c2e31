import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from './cluster.ts';
import { classifyPods } from './drain-filters.ts';
import { bare, pod } from './pods.testing.ts';

describe('which pods a drain moves', () => {
  const polite = { isForced: false };
  const forced = { isForced: true };
  const gone = pod('a', { ownerKind: 'DaemonSet', ownerExists: false });
  const cases: [string, Pod, Parameters<typeof classifyPods>[1], 'evict' | 'skip' | 'refuse'][] = [
    ['a replicated pod', pod('a'), polite, 'evict'],
    ['a DaemonSet pod', pod('a', { ownerKind: 'DaemonSet' }), polite, 'skip'],
    ['a DaemonSet pod, forced', pod('a', { ownerKind: 'DaemonSet' }), forced, 'skip'],
    ['a finished DaemonSet pod', pod('a', { ownerKind: 'DaemonSet', phase: 'Failed' }), polite, 'evict'],
    ['a pod whose DaemonSet is gone', gone, polite, 'refuse'],
    ['a pod whose DaemonSet is gone, forced', gone, forced, 'evict'],
    ['a static pod', bare('a', { isMirror: true }), polite, 'skip'],
    ['a static pod, forced', bare('a', { isMirror: true }), forced, 'skip'],
    ['a pod with emptyDir', pod('a', { hasEmptyDir: true }), polite, 'evict'],
    ['a pod with emptyDir to be kept', pod('a', { hasEmptyDir: true }), { ...forced, deleteEmptyDir: false }, 'refuse'],
    [
      'a finished pod with emptyDir to be kept',
      pod('a', { hasEmptyDir: true, phase: 'Succeeded' }),
      { ...polite, deleteEmptyDir: false },
      'evict',
    ],
    ['a bare pod', bare('a'), polite, 'refuse'],
    ['a bare pod, forced', bare('a'), forced, 'evict'],
    ['a finished bare pod', bare('a', { phase: 'Succeeded' }), polite, 'evict'],
    ['a long deleted bare pod', bare('a', { deletionMs: 5 }), { ...polite, deletedBeforeMs: 6 }, 'skip'],
    ['a just deleted pod', pod('a', { deletionMs: 6 }), { ...polite, deletedBeforeMs: 6 }, 'evict'],
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

  it('gives every pod exactly one fate, and force takes nothing back but refusals', () => {
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
      phase: fc.constantFrom('Pending' as const, 'Running' as const, 'Succeeded' as const, 'Failed' as const),
    })
    .map(({ ownerKind, ...rest }) => ({ ...bare('any', rest), ...(ownerKind && { ownerKind }) }));
}

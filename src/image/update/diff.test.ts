import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aBinary, aDeb, aFile, aLock, anyLock } from '../lock/lock.testing.ts';
import { diffLocks, isSameContent, type LockChange } from './diff.ts';

const OTHER_WAY: Readonly<Record<LockChange['change'], LockChange['change']>> = {
  added: 'removed',
  removed: 'added',
  up: 'down',
  down: 'up',
  'same-version': 'same-version',
};

describe('diffLocks', () => {
  it('finds no difference between a lock and itself', () => {
    fc.assert(
      fc.property(anyLock, (lock) => {
        expect(isSameContent(diffLocks(lock, lock))).toBe(true);
      }),
    );
  });

  it('gives the inverse changes in the other direction', () => {
    fc.assert(
      fc.property(anyLock, anyLock, (a, b) => {
        const [there, back] = [diffLocks(a, b).changes, diffLocks(b, a).changes];
        expect(back.map(({ component, change }) => [component, change])).toEqual(
          there.map(({ component, change }) => [component, OTHER_WAY[change]]),
        );
      }),
    );
  });

  it('lists changes that add up to the change in size', () => {
    fc.assert(
      fc.property(anyLock, anyLock, (a, b) => {
        const { changes, sizes } = diffLocks(a, b);
        const changed = changes.reduce((sum, { from, to }) => sum + (to?.bytes ?? 0) - (from?.bytes ?? 0), 0);
        expect(sizes[0]!.toBytes! - sizes[0]!.fromBytes!).toBe(changed);
      }),
    );
  });

  it('compares versions as numbers, not as text', () => {
    const [a, b] = [aLock({ artifacts: [aDeb('x', '1.9')] }), aLock({ artifacts: [aDeb('x', '1.10')] })];
    expect(diffLocks(a, b).changes.map(({ change }) => change)).toEqual(['up']);
  });

  it('finds different bytes under the same version, another mode, and another install path', () => {
    const kubelet = aBinary('kubelet', '1.35.8');
    const [file, moved] = [aFile('a', '/etc/a', 'x'), { ...aFile('a', '/etc/a', 'x'), mode: 0o600 }];
    const a = aLock({ artifacts: [kubelet], files: [file] });
    const b = aLock({ artifacts: [{ ...kubelet, install: { to: '/opt/kubelet' } }], files: [moved] });
    const c = aLock({ artifacts: [{ ...kubelet, sha256: 'f'.repeat(64) }], files: [file] });
    expect(diffLocks(a, b).changes.map(({ component, change }) => [component, change])).toEqual([
      ['kubelet', 'same-version'],
      ['a', 'same-version'],
    ]);
    expect(diffLocks(a, c).changes).toHaveLength(1);
  });

  it('reports changes per Kubernetes version', () => {
    const before = aLock();
    const after = aLock({
      artifacts: before.artifacts.map((one) =>
        one.kubernetes === '1.35.9'
          ? aBinary('kubelet', '1.35.9', { kubernetes: '1.35.9', sha256: 'e'.repeat(64) })
          : one,
      ),
    });
    expect(diffLocks(before, after).changes).toMatchObject([{ component: 'kubelet', kubernetes: '1.35.9' }]);
  });

  it('reports added and removed Kubernetes versions, and a new base', () => {
    const base = { ...aLock().base, date: '2026.1120' };
    const { kubernetes, facts } = diffLocks(aLock(), aLock({ kubernetes: ['1.35.9', '1.36.0'], base }));
    expect(kubernetes).toEqual({ added: ['1.36.0'], removed: ['1.35.8'] });
    expect(facts.map(({ what }) => what)).toEqual(['package snapshot']);
  });
});

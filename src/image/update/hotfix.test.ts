import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aBinary, aLock, anyLock } from '../lock/lock.testing.ts';
import type { ImageLock } from '../lock/lock.ts';
import { diffLocks } from './diff.ts';
import { deriveHotfix, type HotfixAllowance, hotfixProblems, pickHotfix } from './hotfix.ts';

const NOTHING: HotfixAllowance = { names: [], downgrades: [] };
const allow = (...names: string[]): HotfixAllowance => ({ names, downgrades: [] });
const changed = (from: ImageLock, to: ImageLock) => [
  ...new Set(diffLocks(from, to).changes.map(({ component }) => component)),
];

describe('a hotfix', () => {
  it('changes only named components', () => {
    fc.assert(
      fc.property(anyLock, anyLock, fc.subarray(['containerd', 'kubelet', 'pause', 'sysctl']), (from, to, names) => {
        const { lock, problems } = deriveHotfix(from, to, allow(...names));
        if (problems.length === 0) expect(names).toEqual(expect.arrayContaining(changed(from, lock)));
      }),
    );
  });

  it('is allowed if every change is named, and every downgrade is named as such', () => {
    fc.assert(
      fc.property(anyLock, anyLock, (from, to) => {
        const { changes } = diffLocks(from, to);
        fc.pre(changes.length > 0);
        const names = changed(from, to);
        const downgrades = changes.filter(({ change }) => change === 'down').map(({ component }) => component);
        expect(deriveHotfix(from, to, { names, downgrades }).problems).toEqual([]);
        for (const back of downgrades) {
          const others = downgrades.filter((name) => name !== back);
          expect(deriveHotfix(from, to, { names, downgrades: others }).problems.join()).toContain(
            `--allow-downgrade ${back}`,
          );
        }
      }),
    );
  });

  it('keeps the base and gets the next patch number, independent of the other lock', () => {
    fc.assert(
      fc.property(fc.nat(100), fc.nat(100), (had, has) => {
        const from = aLock({ base: { ...aLock().base, patch: had } });
        const to = aLock({ base: { ...aLock().base, patch: has } });
        expect(deriveHotfix(from, to, NOTHING).lock.base).toEqual({ ...from.base, patch: had + 1 });
      }),
    );
  });

  it('picked from another lock changes only named components and keeps the package snapshot', () => {
    fc.assert(
      fc.property(anyLock, anyLock, fc.subarray(['containerd', 'kubelet', 'pause', 'sysctl']), (from, to, names) => {
        const later = { ...to, base: { ...to.base, date: '2026.1201' } };
        const { lock, problems } = pickHotfix(from, later, { names, downgrades: names });
        expect(names).toEqual(expect.arrayContaining(changed(from, lock)));
        expect(lock.base.indices).toEqual(from.base.indices);
        const unmoved = names.filter((name) => !changed(from, to).includes(name));
        expect(problems.length === 0).toBe(unmoved.length === 0 && names.length > 0);
      }),
    );
  });

  it('reports all problems at once', () => {
    const from = aLock();
    const to = aLock({
      kubernetes: ['1.35.8'],
      base: { ...from.base, date: '2026.1120', patch: 0 },
      disk: { ...from.disk, sizeMb: 8192 },
      artifacts: [...from.artifacts.filter(({ component }) => component !== 'pause'), aBinary('debugger', '1.0')],
    });
    const problems = hotfixProblems(from, to, allow('kublet'));
    for (const part of [
      'package snapshot',
      'disk',
      'patch number',
      '1.35.9 was removed',
      '--allow debugger',
      '--allow pause',
      'kublet',
    ])
      expect(problems.join('\n')).toContain(part);
  });

  it('is refused without a change', () => {
    expect(deriveHotfix(aLock(), aLock(), NOTHING).problems).toEqual(['the image has no changes']);
  });
});

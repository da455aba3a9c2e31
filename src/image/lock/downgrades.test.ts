import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { downgradesOf, refuseDowngrades } from './downgrades.ts';
import { aDeb, aLock } from './lock.testing.ts';

const before = aLock();
const withContainerd = (version: string) =>
  aLock({
    artifacts: [...before.artifacts.filter(({ component }) => component !== 'containerd'), aDeb('containerd', version)],
  });

describe('refuseDowngrades', () => {
  it('finds no downgrade in newer and in equal versions', () => {
    expect(downgradesOf(before, before)).toEqual([]);
    expect(downgradesOf(before, withContainerd('1.6.20~ds1-1+deb12u2'))).toEqual([]);
  });

  it('lists every downgrade, unless downgrades are allowed', () => {
    const after = {
      ...withContainerd('1.6.20~ds1-1~bpo11'),
      base: { ...before.base, date: '2026.1109' },
    };
    const refusing = (isAllowed: boolean) => () => refuseDowngrades(before, after, { file: 'a.lock.json', isAllowed });
    expect(refusing(false)).toThrow(expect.objectContaining({ code: 'image/downgrade' }));
    expect(refusing(false)).toThrow(/lists are from 2026\.1109[\s\S]*containerd would be downgraded from .* to/);
    expect(refusing(true)).not.toThrow();
    expect(() => refuseDowngrades(undefined, after, { file: 'a.lock.json', isAllowed: false })).not.toThrow();
  });

  it('finds a downgrade in exactly one direction between different versions', () => {
    const version = fc.tuple(fc.nat(3), fc.nat(3)).map(([major, minor]) => `${major}.${minor}`);
    fc.assert(
      fc.property(version, version, (a, b) => {
        const down = downgradesOf(withContainerd(a), withContainerd(b)).length;
        const up = downgradesOf(withContainerd(b), withContainerd(a)).length;
        expect(down + up).toBe(a === b ? 0 : 1);
      }),
    );
  });
});

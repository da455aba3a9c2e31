import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashPackages, parseInstallPlan } from './packages.ts';

it('parseInstallPlan reads the packages that apt would install, including repeated ones and upgrades', () => {
  const plan = `I: simulate downloading packages with apt...
Inst libc6 (2.36-9+deb12u14 Debian:12.15/oldstable [amd64]) []
Inst perl-base [5.36.0-7] (5.36.0-7+deb12u3 Debian:12.15/oldstable [amd64])
Conf libc6 (2.36-9+deb12u14 Debian:12.15/oldstable [amd64])
Inst libc6 (2.36-9+deb12u14 Debian:12.15/oldstable [amd64]) []
`;
  expect([...parseInstallPlan(plan)]).toEqual([
    ['libc6', '2.36-9+deb12u14'],
    ['perl-base', '5.36.0-7+deb12u3'],
  ]);
});

it('hashPackages does not depend on the order, and changes with any package', () => {
  const entry = fc.tuple(fc.stringMatching(/^[a-z][a-z0-9.+-]{1,8}$/), fc.stringMatching(/^[0-9][0-9.-]{0,5}$/));
  fc.assert(
    fc.property(fc.uniqueArray(entry, { selector: ([name]) => name, minLength: 1 }), (entries) => {
      const hash = hashPackages(new Map(entries));
      expect(hashPackages(new Map(entries.toReversed()))).toBe(hash);
      expect(hashPackages(new Map(entries.slice(1)))).not.toBe(hash);
      expect(hashPackages(new Map(entries.with(0, [entries[0]![0], '9999.0'])))).not.toBe(hash);
    }),
  );
});

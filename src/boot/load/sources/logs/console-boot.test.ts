import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConsoleBoot } from './console-boot.ts';

test('a status line is placed within the error that its neighbours allow, for any stamps', () => {
  const us = fc.integer({ min: 0, max: 1e9 });
  fc.assert(
    fc.property(us, us, (beforeUs, afterUs) => {
      const boot = new ConsoleBoot();
      const stamp = (atUs: number) => boot.add({ kind: 'stamped', atUs, identifier: 'kernel', message: 'x' });
      stamp(beforeUs);
      boot.add({ kind: 'status', isFailed: false, text: 'Reached target Network is Online.' });
      stamp(afterUs);
      const { atUs, errorUs = 0 } = boot.evidence({ input: 'c' })[0]!.milestones[0]!;
      expect(atUs - errorUs).toBeLessThanOrEqual(Math.max(0, beforeUs));
      expect(atUs + errorUs).toBeGreaterThanOrEqual(Math.max(beforeUs, afterUs) - 1);
      expect(errorUs).toBeGreaterThanOrEqual(500_000);
    }),
  );
});

test('a failed unit is no milestone', () => {
  const boot = new ConsoleBoot();
  boot.add({ kind: 'stamped', atUs: 1, identifier: 'kernel', message: 'x' });
  boot.add({ kind: 'status', isFailed: true, text: 'Reached target Network is Online.' });
  boot.add({ kind: 'stamped', atUs: 2e6, identifier: 'kernel', message: 'x' });
  expect(boot.evidence({ input: 'c' })[0]!.milestones).toEqual([]);
});

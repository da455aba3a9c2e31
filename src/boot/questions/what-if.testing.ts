// boot/questions/what-if.testing.ts: boots for what-if tests: a pasted listing, and any small graph full of ties.
import fc from 'fast-check';
import type { BootRecord, Unit } from '../model/record.ts';
import { bootRecord, managerTimes, unit } from '../testing.ts';

/** Began at `fromS`, active at `toS`. */
export function ran(name: string, fromS: number, toS: number, after: string[] = []): Unit {
  return unit(name, fromS, toS - fromS, after);
}

export function bootOf(units: Unit[], userspaceS?: number): BootRecord {
  if (userspaceS === undefined) return bootRecord({ units });
  return bootRecord({ units, manager: managerTimes({ userspaceUs: userspaceS * 1e6, finishUs: 0 }) });
}

/** The same as fixtures/seeds/cloud-final.critical-chain.txt after parsing. */
export function cloudFinal(): BootRecord {
  const listing: readonly (readonly [string, number, number])[] = [
    ['cloud-final.service', 33.929, 11.703],
    ['multi-user.target', 33.929, 0],
    ['ephemeral-disk-warning.service', 33.896, 0.029],
    ['cloud-config.service', 31.392, 2.499],
    ['basic.target', 31.204, 0],
    ['paths.target', 31.188, 0],
    ['update_certs.path', 31.185, 0],
    ['sysinit.target', 31.146, 0],
    ['cloud-init.service', 10.912, 20.216],
    ['cloud-init-local.service', 2.528, 6.098],
    ['systemd-remount-fs.service', 1.453, 0.035],
    ['systemd-journald.socket', 1.403, 0],
    ['system.slice', 1.387, 0],
    ['-.slice', 1.359, 0],
  ];
  const units = listing.map(([name, at, took], i) =>
    unit(
      name,
      at,
      took,
      listing.slice(i + 1, i + 2).map(([next]) => next),
    ),
  );
  return {
    ...bootOf(units),
    clock: { zero: 'userspace' },
    sources: [{ kind: 'analyze-critical-chain', input: 'cloud-final.critical-chain.txt' }],
  };
}

/** Up to a dozen units on few instants, so that ties, cycles, failures, restarts and units that never ran all occur. */
export function anyUnits(): fc.Arbitrary<Unit[]> {
  const stamp = fc.nat({ max: 6 }).map((s) => s * 1e6);
  return fc
    .array(
      fc.record({
        at: stamp,
        took: stamp,
        ends: fc.constantFrom('active', 'active', 'active', 'failed', 'starting'),
        after: fc.array(fc.nat({ max: 12 }), { maxLength: 5 }),
      }),
      { maxLength: 12 },
    )
    .map((drawn) =>
      drawn.map(({ at, took, ends, after }, i) => ({
        ...unit(
          `u${i}.service`,
          0,
          0,
          after.map((d) => `u${d}.service`),
        ),
        activatingUs: at,
        activatedUs: ends === 'active' && at > 0 ? at + took : 0,
        deactivatedUs: ends === 'failed' && at > 0 ? at + took : 0,
      })),
    );
}

// boot/compat/systemd/testing.ts: small boots for tests, and recorded boots from fixtures.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { memoryInput } from '../../load/input.ts';
import { NO_TIMES } from '../../load/sources/systemd/startup-finished.ts';
import { systemctlManagerSource, systemctlUnitsSource } from '../../load/sources/systemd/systemctl-show.ts';
import type { Evidence } from '../../model/evidence.ts';
import { BOOT_API_VERSION, type BootRecord, type ManagerTimes, type Unit } from '../../model/record.ts';

export const FIXTURES = join(import.meta.dirname, '../..', 'fixtures');

/** `unit('a.service', 3, 5, { after: ['b.target'] })`: starting at 3, up at 5 (seconds). */
export function unit(name: string, activatingS: number, activatedS: number, more: Partial<Unit> = {}): Unit {
  const stamps = { activatingUs: activatingS * 1e6, activatedUs: activatedS * 1e6 };
  return { name, ...stamps, deactivatingUs: 0, deactivatedUs: 0, after: [], ...more };
}

/** Defaults: userspace at 2 s, finished at 60 s, not a container. */
export function boot(units: Unit[], manager: Partial<ManagerTimes> = {}, more: Partial<BootRecord> = {}): BootRecord {
  const times = { userspaceUs: 2e6, finishUs: 60e6, securityStartUs: 2_100_000, securityFinishUs: 2_200_000 };
  return {
    apiVersion: BOOT_API_VERSION,
    kind: 'BootRecord',
    host: {},
    clock: { zero: 'kernel' },
    manager: { ...NO_TIMES, ...times, ...manager },
    units,
    spans: [],
    milestones: [],
    sources: [{ kind: 'systemctl-manager', input: 'test' }],
    notes: [],
    ...more,
  };
}

/** The boot in the two `systemctl show` files of a folder. */
export function recordedBoot(folder: string): BootRecord {
  const read = (name: string) => memoryInput(name, readFileSync(join(FIXTURES, folder, name)));
  const manager = systemctlManagerSource.parse(read('systemctl-show-manager.txt'))[0]!;
  const units = systemctlUnitsSource.parse(read('systemctl-show-units.txt'))[0]!;
  return recordOf([manager, units]);
}

/** Builds one boot from evidence on one clock. */
export function recordOf(pieces: Evidence[]): BootRecord {
  const manager = pieces.find((piece) => piece.manager)?.manager;
  const units = pieces.flatMap((piece) => piece.units ?? []);
  const sources = pieces.map(({ kind, input }) => ({ kind, input }));
  const { manager: _, ...rest } = boot(units, {}, { host: pieces.find((piece) => piece.host)?.host ?? {}, sources });
  return { ...rest, ...(manager && { manager }) };
}

/** Any graph: cycles, self-loops, repeated and unknown neighbours, units that never ran, failed or ran again. */
export const anyBoot: fc.Arbitrary<BootRecord> = fc
  .record({
    units: fc.array(
      fc.record({
        stamps: fc.tuple(...Array.from({ length: 4 }, () => fc.oneof(fc.constant(0), fc.nat(20_000_000)))),
        after: fc.array(fc.nat(25), { maxLength: 8 }),
      }),
      { maxLength: 20 },
    ),
    userspaceUs: fc.nat(5_000_000),
    finishUs: fc.nat(20_000_000),
    securityStartUs: fc.constantFrom(0, 1_000_000),
    initrdUs: fc.constantFrom(0, 500_000),
  })
  .map(({ units, ...manager }) =>
    boot(
      units.map(({ stamps, after }, i) => ({
        name: `u${i}.service`,
        ...(i === 0 && { aliases: ['default.target'] }),
        activatingUs: stamps[0]!,
        activatedUs: stamps[1]!,
        deactivatingUs: stamps[2]!,
        deactivatedUs: stamps[3]!,
        after: after.map((n) => `u${n}.service`),
      })),
      manager,
    ),
  );

// boot/testing.ts: boot records for tests: small handmade ones, and arbitrary ones for property tests.
import fc from 'fast-check';
import { UserError } from '../base/errors.ts';
import { BOOT_API_VERSION, type BootRecord, type ManagerTimes, type Span, type Unit } from './model/record.ts';

export function unit(
  name: string,
  startS: number,
  tookS: number,
  after: string[] = [],
  more: Partial<Unit> = {},
): Unit {
  const activatingUs = Math.round(startS * 1e6);
  const activatedUs = Math.round((startS + tookS) * 1e6);
  return { name, activatingUs, activatedUs, deactivatingUs: 0, deactivatedUs: 0, after, ...more };
}

export function span(id: string, startS: number, endS: number, more: Partial<Span> = {}): Span {
  const [source, ...name] = id.split(':');
  return {
    id,
    name: name.join(':'),
    source: source as Span['source'],
    startUs: Math.round(startS * 1e6),
    endUs: Math.round(endS * 1e6),
    ...more,
  };
}

export function managerTimes(more: Partial<ManagerTimes> = {}): ManagerTimes {
  return {
    firmwareUs: 0,
    loaderUs: 0,
    kernelUs: 0,
    initrdUs: 0,
    userspaceUs: 2_000_000,
    finishUs: 60_000_000,
    securityStartUs: 2_100_000,
    securityFinishUs: 2_200_000,
    generatorsStartUs: 2_300_000,
    generatorsFinishUs: 2_400_000,
    unitsLoadStartUs: 2_400_000,
    unitsLoadFinishUs: 2_500_000,
    initrdSecurityStartUs: 0,
    initrdSecurityFinishUs: 0,
    initrdGeneratorsStartUs: 0,
    initrdGeneratorsFinishUs: 0,
    initrdUnitsLoadStartUs: 0,
    initrdUnitsLoadFinishUs: 0,
    shutdownStartUs: 0,
    softRebootsCount: 0,
    ...more,
  };
}

export function bootRecord(more: Partial<BootRecord> = {}): BootRecord {
  return {
    apiVersion: BOOT_API_VERSION,
    kind: 'BootRecord',
    host: {},
    clock: { zero: 'kernel' },
    units: [],
    spans: [],
    milestones: [],
    sources: [],
    notes: [],
    ...more,
  };
}

const unitName = fc.integer({ min: 0, max: 11 }).map((i) => `u${i}.${i % 3 === 0 ? 'target' : 'service'}`);
const stamp = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90_000_000 }));

/** Units with any stamps and any ordering: cycles, self references, names that do not exist. */
export const anyUnits: fc.Arbitrary<Unit[]> = fc.uniqueArray(
  fc.record({
    name: unitName,
    activatingUs: stamp,
    activatedUs: stamp,
    deactivatingUs: stamp,
    deactivatedUs: stamp,
    after: fc.array(unitName, { maxLength: 5 }),
  }),
  { selector: (u) => u.name, maxLength: 12 },
);

const anySpan: fc.Arbitrary<Span> = fc
  .record(
    {
      id: fc.integer({ min: 0, max: 9 }).map((i) => `cloud-init:s${i}`),
      name: fc.constantFrom('a', 'b', 'c'),
      source: fc.constantFrom('cloud-init' as const, 'extension' as const, 'kubelet' as const),
      parent: fc.integer({ min: 0, max: 9 }).map((i) => `cloud-init:s${i}`),
      unit: unitName,
      startUs: fc.integer({ min: -1_000_000, max: 90_000_000 }),
      tookUs: fc.integer({ min: 0, max: 20_000_000 }),
      wait: fc.constantFrom('for a lease', 'platform'),
    },
    { requiredKeys: ['id', 'name', 'source', 'startUs', 'tookUs'] },
  )
  .map(({ tookUs, ...rest }) => ({ ...rest, endUs: rest.startUs + tookUs }));

export const anyRecord: fc.Arbitrary<BootRecord> = fc
  .record({
    units: anyUnits,
    spans: fc.uniqueArray(anySpan, { selector: (s) => s.id, maxLength: 10 }),
    manager: fc.option(
      fc.record({ userspaceUs: stamp, finishUs: stamp, initrdUs: stamp, firmwareUs: stamp, loaderUs: stamp }),
      { nil: undefined },
    ),
    zero: fc.constantFrom('kernel' as const, 'userspace' as const, 'first-event' as const),
  })
  .map(({ units, spans, manager, zero }) =>
    bootRecord({ units, spans, clock: { zero }, ...(manager && { manager: managerTimes(manager) }) }),
  );

/** The UserError that `action` throws; any other outcome fails the test. */
export function caught(action: () => unknown): UserError {
  try {
    action();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error('expected a UserError');
}

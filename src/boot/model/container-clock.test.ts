import { describe, expect, it } from 'vitest';
import { bootRecord, managerTimes, span, unit } from '../testing.ts';
import { fromContainerStart, onHostClock } from './container-clock.ts';
import { evidence } from './evidence.ts';

const WEEK_US = 612_000e6;
const WALL_US = 1_794_909_600e6;

const inContainer = managerTimes({
  userspaceUs: WEEK_US,
  finishUs: WEEK_US + 9e6,
  securityStartUs: 0,
  securityFinishUs: 0,
  generatorsStartUs: WEEK_US + 100_000,
  generatorsFinishUs: WEEK_US + 200_000,
  unitsLoadStartUs: WEEK_US + 200_000,
  unitsLoadFinishUs: WEEK_US + 300_000,
});

describe('fromContainerStart', () => {
  const record = bootRecord({
    manager: inContainer,
    clock: { zero: 'kernel', wallAtZeroUs: WALL_US - WEEK_US, errorUs: 5 },
    units: [unit('cloud-init-local.service', 612_001, 1.5), unit('never.service', 0, 0)],
    spans: [span('cloud-init:init-local', 612_001.6, 612_002.3)],
    milestones: [
      { name: 'kernel-start', atUs: 0, source: 'kernel' },
      { name: 'cloud-init-started', atUs: WEEK_US + 1_600_000, source: 'cloud-init' },
    ],
  });

  it('counts all times from the start of the container, and keeps their dates', () => {
    const moved = fromContainerStart(record);
    expect(moved.manager).toMatchObject({ userspaceUs: 1, finishUs: 9_000_001, generatorsStartUs: 100_001 });
    expect(moved.units.map(({ activatingUs, activatedUs }) => [activatingUs, activatedUs])).toEqual([
      [1_000_001, 2_500_001],
      [0, 0],
    ]);
    expect(moved.spans).toMatchObject([{ startUs: 1_600_001, endUs: 2_300_001 }]);
    expect(moved.milestones).toMatchObject([{ name: 'cloud-init-started', atUs: 1_600_001 }]);
    expect(moved.clock).toEqual({ zero: 'kernel', wallAtZeroUs: WALL_US - 1, errorUs: 5 });
  });

  it('changes nothing the second time', () => {
    const once = fromContainerStart(record);
    expect(fromContainerStart(once)).toEqual(once);
  });

  it.each([
    ['a machine', { ...record, manager: managerTimes() }],
    ['a record without stamps of the manager', bootRecord({ units: record.units })],
    ['a stamp from before the start', { ...record, units: [unit('early.service', 5, 1)] }],
    ['times since userspace', { ...record, clock: { zero: 'userspace' as const } }],
  ])('leaves %s as it is', (_, other) => {
    expect(fromContainerStart(other)).toBe(other);
  });
});

describe('onHostClock', () => {
  const manager = evidence({
    kind: 'systemctl-manager',
    input: 'manager.txt',
    clock: 'monotonic',
    manager: inContainer,
    anchors: [{ monotonicUs: WEEK_US, wallUs: WALL_US, errorUs: 1e6 }],
  });
  const log = (upUs: number) =>
    evidence({
      kind: 'cloud-init-log',
      input: 'cloud-init.log',
      clock: 'wall',
      anchors: [{ monotonicUs: upUs, wallUs: WALL_US + 1_600_000, errorUs: 100_000 }],
      monotonic: { spans: [], milestones: [{ name: 'cloud-init-started', atUs: upUs, source: 'cloud-init' }] },
    });

  it('moves an uptime that counts from the start of the container', () => {
    const [, moved] = onHostClock([manager, log(1_600_000)]);
    expect(moved?.anchors).toEqual([
      { monotonicUs: WEEK_US + 1_600_000, wallUs: WALL_US + 1_600_000, errorUs: 1_100_000 },
    ]);
    expect(moved?.monotonic?.milestones).toMatchObject([{ atUs: WEEK_US + 1_600_000 }]);
  });

  it.each([
    ['the uptime is that of the host', [manager, log(WEEK_US + 1_600_000)]],
    ['the log is of another start of the container', [manager, log(61e6)]],
    ['the manager is of a machine', [{ ...manager, manager: managerTimes() }, log(1_600_000)]],
  ])('changes nothing if %s', (_, pieces) => {
    expect(onHostClock(pieces)).toEqual(pieces);
  });
});

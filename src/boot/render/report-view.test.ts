import { describe, expect, test } from 'vitest';
import { bootRecord, managerTimes, span, unit } from '../testing.ts';
import { reportView } from './report-view.ts';

const record = bootRecord({
  bootId: '0123456789abcdef0123456789abcdef',
  host: { hostname: 'node-1', os: 'Debian GNU/Linux 12', kernel: '6.1' },
  clock: { zero: 'kernel', wallAtZeroUs: 1_700_000_000_000_000 },
  manager: managerTimes({ firmwareUs: 3_000_000, loaderUs: 1_000_000 }),
  units: [
    unit('basic.target', 10, 0, ['sysinit.target']),
    unit('cloud-final.service', 20, 30, ['basic.target', 'network.target', 'never.service'], { description: 'Final' }),
    unit('network.target', 15, 0, []),
    unit('multi-user.target', 50.5, 0, ['cloud-final.service', 'basic.target']),
    unit('never.service', 0, 0),
    unit('late.timer', 90_000, 1),
  ],
  spans: [
    span('cloud-init:modules-final', 21, 49, { unit: 'cloud-final.service' }),
    span('cloud-init:modules-final/runcmd', 22, 40, { parent: 'cloud-init:modules-final', result: 'warn' }),
  ],
  sources: [
    { kind: 'systemctl-units', input: '/home/someone/boot.tar.gz/units.txt' },
    { kind: 'cloud-init-log', input: '/home/someone/boot.tar.gz/log/cloud-init.log' },
  ],
  notes: [{ level: 'warning', text: 'line 3 could not be read' }],
});
const view = reportView(record, 'first');
const rowNamed = (name: string) => view.rows.find((row) => row.name === name);

describe('reportView', () => {
  test('has a row for every span, under the unit that ran it', () => {
    expect(rowNamed('modules-final')?.parent).toBe('systemd:cloud-final.service');
    expect(rowNamed('runcmd')).toMatchObject({ parent: 'cloud-init:modules-final', result: 'warn' });
    expect(rowNamed('never.service')).toBeUndefined();
  });

  test('has rows for the time before the first unit', () => {
    expect(rowNamed('firmware')).toMatchObject({ startUs: -3_000_000, endUs: -1_000_000 });
    expect(rowNamed('kernel')).toMatchObject({ startUs: 0, endUs: 2_000_000 });
    expect(rowNamed('systemd: generators')).toMatchObject({ startUs: 2_300_000, endUs: 2_400_000 });
  });

  test('lists what a row is ordered after, the last ready first', () => {
    expect(rowNamed('cloud-final.service')!.after!.map((index) => view.rows[index]!.name)).toEqual([
      'network.target',
      'basic.target',
    ]);
  });

  test('lists the critical path from its start', () => {
    expect(view.path.map((step) => step.name)).toEqual([
      'network.target',
      'cloud-final.service',
      'multi-user.target',
      'startup-finished',
    ]);
    expect(view.path.at(-2)!.gapUs).toBe(500_000);
  });

  test('covers the boot but not a timer of the next day', () => {
    expect([view.startUs, view.endUs]).toEqual([-3_000_000, 60_000_000]);
    expect(view.totalUs).toBe(63_000_000);
    expect(view.totalOf).toBe('firmware start to startup-finished');
  });

  test('keeps facts and notes', () => {
    expect(view.host).toBe('node-1');
    expect(view.facts).toContainEqual({ name: 'boot id', value: '0123456789abcdef0123456789abcdef' });
    expect(view.notes).toEqual(record.notes);
  });
});

test('lists inputs without the folders of this machine', () => {
  expect(view.inputs).toEqual([
    { name: 'systemctl-units', value: 'boot.tar.gz/units.txt' },
    { name: 'cloud-init-log', value: 'boot.tar.gz/log/cloud-init.log' },
  ]);
  const single = bootRecord({ sources: [{ kind: 'dmesg', input: 'dmesg.txt' }], units: record.units });
  expect(reportView(single, 'one').inputs).toEqual([{ name: 'dmesg', value: 'dmesg.txt' }]);
});

test('puts spans of the kernel inside the kernel phase', () => {
  const boot = bootRecord({ manager: managerTimes(), spans: [span('kernel:until-init', 0, 1)] });
  expect(reportView(boot, 'x').rows.find((row) => row.id === 'kernel:until-init')?.parent).toBe('phase:kernel');
});

test('accepts a log that has only wall times', () => {
  const log = bootRecord({ clock: { zero: 'first-event' }, spans: [span('cloud-init:init-local', 0, 4)] });
  const { endUs, totalOf, host } = reportView(log, 'cloud-init.log');
  expect({ endUs, totalOf, host }).toEqual({
    endUs: 4_000_000,
    totalOf: 'first event to last event',
    host: 'cloud-init.log',
  });
});

test('shifts the manager steps of a boot on the userspace clock', () => {
  const boot = bootRecord({ clock: { zero: 'userspace' }, manager: managerTimes() });
  const generators = reportView(boot, 'pasted').rows.find((row) => row.id === 'manager:generators');
  expect(generators).toMatchObject({ startUs: 300_000, endUs: 400_000 });
});

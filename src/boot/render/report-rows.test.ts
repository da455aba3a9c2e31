import { describe, expect, test } from 'vitest';
import { everySpan } from '../model/all-spans.ts';
import { milestonesOf } from '../model/milestones.ts';
import type { BootRecord } from '../model/record.ts';
import { bootRecord, managerTimes, span, unit } from '../testing.ts';
import { reportPhases, reportRows } from './report-rows.ts';

const phasesOf = (record: BootRecord) => reportPhases(record, milestonesOf(record));
const rowsOf = (record: BootRecord) => reportRows(record, phasesOf(record), everySpan(record));
const created = { name: 'vm-created', atUs: -9e6, source: 'platform' } as const;

describe('reportPhases', () => {
  test('begins with the creation of the VM as a wait, if the platform reports it', () => {
    const manager = managerTimes({ firmwareUs: 3e6, loaderUs: 1e6 });
    expect(phasesOf(bootRecord({ manager, milestones: [created] })).slice(0, 2)).toMatchObject([
      { name: 'VM creation', startUs: -9e6, endUs: -3e6, wait: 'platform: VM being created' },
      { name: 'firmware', startUs: -3e6 },
    ]);
  });

  test('ends the creation of the VM at kernel start if no other phase is known', () => {
    expect(phasesOf(bootRecord({ milestones: [created] }))).toMatchObject([{ name: 'VM creation', endUs: 0 }]);
    expect(phasesOf(bootRecord({ clock: { zero: 'first-event' }, milestones: [created] }))).toEqual([]);
  });
});

describe('reportRows', () => {
  test('has no row for userspace', () => {
    const ids = rowsOf(bootRecord({ manager: managerTimes() })).map(({ id }) => id);
    expect(ids).toContain('phase:kernel');
    expect(ids).not.toContain('phase:userspace');
  });

  test('has the steps of the manager that took time', () => {
    const manager = managerTimes({ generatorsFinishUs: 0 });
    const names = rowsOf(bootRecord({ manager })).map(({ name }) => name);
    expect(names).toContain('systemd: load units');
    expect(names).not.toContain('systemd: generators');
  });

  test('names a part without the name of its parent', () => {
    const record = bootRecord({
      spans: [
        span('cloud-init:modules-final', 1, 9),
        span('cloud-init:modules-final/config-runcmd', 2, 3, { parent: 'cloud-init:modules-final' }),
        span('cloud-init:modules-finality', 3, 4, { parent: 'cloud-init:modules-final' }),
      ],
    });
    expect(rowsOf(record).map(({ name }) => name)).toEqual(['modules-final', 'config-runcmd', 'modules-finality']);
  });

  test('puts rows under the phase of their source', () => {
    const record = bootRecord({ manager: managerTimes(), spans: [span('kernel:until-init', 0, 1)] });
    expect(rowsOf(record).find(({ id }) => id === 'kernel:until-init')?.parent).toBe('phase:kernel');
  });

  test('lists what a row is ordered after, by name or alias, the last ready first', () => {
    const rows = rowsOf(
      bootRecord({
        units: [
          unit('a.service', 1, 1),
          unit('b.service', 1, 4, [], { aliases: ['alias.service'] }),
          unit('c.service', 6, 1, ['a.service', 'alias.service', 'absent.service']),
        ],
      }),
    );
    expect(rows[2]!.after!.map((index) => rows[index]!.name)).toEqual(['b.service', 'a.service']);
    expect(rows[0]).not.toHaveProperty('after');
  });

  test('has a result only for failures and warnings, and never ends a row before it begins', () => {
    const record = bootRecord({
      spans: [span('cloud-init:a', 5, 3, { result: 'ok' }), span('cloud-init:b', 5, 6, { result: 'fail' })],
    });
    const [ok, failed] = rowsOf(record);
    expect(ok).toMatchObject({ startUs: 5e6, endUs: 5e6 });
    expect(ok).not.toHaveProperty('result');
    expect(failed!.result).toBe('fail');
  });
});

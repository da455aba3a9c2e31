import { describe, expect, it } from 'vitest';
import type { BootRecord } from '../../model/record.ts';
import { bootRecord, managerTimes, unit } from '../../testing.ts';
import { bootTimesText } from './boot-text.ts';
import { bootTimes, logOf } from './boot-times.ts';
import { banner, bootsIn, stageLog, stampAt } from './testing.ts';

const wall = (text: string) => Date.parse(text) * 1000;
const [log] = bootsIn(stageLog('init-local', 20, 20));

function machine(more: Partial<BootRecord> = {}): BootRecord {
  return bootRecord({
    clock: { zero: 'kernel', wallAtZeroUs: wall('2026-11-15T21:00:00Z'), errorUs: 2000 },
    manager: managerTimes({ userspaceUs: 3_000_000 }),
    units: [unit('cloud-init-local.service', 8, 5)],
    ...more,
  });
}

describe('bootTimes', () => {
  it('uses the earlier of cloud-init-main and cloud-init-local as activation', () => {
    const record = machine({ units: [unit('cloud-init-local.service', 8, 5), unit('cloud-init-main.service', 6, 1)] });
    expect(bootTimes(record, log).activated).toMatchObject({ monotonicUs: 6_000_000 });
  });

  it('edge case 22: treats stamps of 0 as unknown, not as 1970', () => {
    const record = machine({
      manager: managerTimes({ userspaceUs: 0 }),
      units: [unit('cloud-init-local.service', 0, 0)],
    });
    const text = bootTimesText(bootTimes(record, undefined));
    expect(text).toContain('Kernel ended boot at: unknown (neither systemd nor the kernel log has');
    expect(text).toContain('Cloud-init activated by systemd at: unknown');
    expect(text).toContain('Cloud-init start: unknown (no init-local line');
  });

  it('starts a container with its init, on the host’s monotonic clock', () => {
    const record = machine({ host: { virtualization: 'lxc' }, manager: managerTimes({ userspaceUs: 5_000_000 }) });
    const text = bootTimesText(bootTimes(record, log));
    expect(text).toContain('Container started at: 2026-11-15 21:00:05');
    expect(text).not.toContain('Kernel');
  });

  it('uses the uptime in the cloud-init log and the kernel log without systemd, and names what is unknown', () => {
    const record = bootRecord({
      clock: { zero: 'kernel' },
      milestones: [{ name: 'userspace', atUs: 2_500_000, source: 'kernel' }],
    });
    const times = bootTimes(record, log);
    expect(times.kernelStart).toMatchObject({ monotonicUs: 0, errorUs: 505_000 });
    expect(times.kernelEnd).toMatchObject({ monotonicUs: 2_500_000 });
    expect(times.activated).toEqual({ unknown: 'no unit times: not systemd, or `systemctl show` was not given' });
  });

  it('is no more exact than the kernel log, which only brackets the start of userspace', () => {
    const milestones: BootRecord['milestones'] = [
      { name: 'userspace', atUs: 2_500_000, source: 'kernel', errorUs: 1_400_000 },
    ];
    const { manager: _, ...withoutManager } = machine({ units: [], milestones });
    const times = bootTimes(withoutManager, log);
    expect(times.kernelStart).toMatchObject({ errorUs: 2000 });
    expect(times.kernelEnd).toMatchObject({ monotonicUs: 2_500_000, errorUs: 1_400_000 });
  });

  it('uses the boot in the log that matches the record', () => {
    const boots = bootsIn(
      banner(stampAt(-600), 'init-local', 5) + stageLog('init-local', 20, 20) + banner(stampAt(900), 'init-local', 5),
    );
    expect(logOf(machine(), boots)).toBe(boots[1]);
    expect(logOf(undefined, boots)).toBe(boots[2]);
  });
});

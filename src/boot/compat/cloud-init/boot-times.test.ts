import { describe, expect, it } from 'vitest';
import type { BootRecord } from '../../model/record.ts';
import { bootRecord, managerTimes, unit } from '../../testing.ts';
import { bootTimesText } from './boot-text.ts';
import { bootTimes, logOf } from './boot-times.ts';
import { compatBoot } from './exact/compat-boot.ts';
import { compatVersion } from './exact/compat-version.ts';
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

describe('the four instants of a boot', () => {
  it('come from the record and the log, differences from the monotonic clock', () => {
    expect(bootTimesText(bootTimes(machine(), log))).toBe(
      [
        '-- Most Recent Boot Record --',
        '    Kernel Started at: 2026-11-15 21:00:00 (within 0.002 s)',
        '    Kernel ended boot at: 2026-11-15 21:00:03 (within 0.002 s)',
        '    Kernel time to boot (seconds): 3.000000',
        '    Cloud-init activated by systemd at: 2026-11-15 21:00:08 (within 0.002 s)',
        '    Time between Kernel end boot and Cloud-init activation (seconds): 5.000000',
        '    Cloud-init start: 2026-11-15 21:00:20',
        '    Time between Cloud-init activation and Cloud-init start (seconds): 12.000',
        '',
      ].join('\n'),
    );
  });

  it('take the earlier of cloud-init-main and cloud-init-local as activation', () => {
    const record = machine({ units: [unit('cloud-init-local.service', 8, 5), unit('cloud-init-main.service', 6, 1)] });
    expect(bootTimes(record, log).activated).toMatchObject({ monotonicUs: 6_000_000 });
  });

  it('edge case 22: stamps of 0 are unknown, not 1970', () => {
    const record = machine({
      manager: managerTimes({ userspaceUs: 0 }),
      units: [unit('cloud-init-local.service', 0, 0)],
    });
    const text = bootTimesText(bootTimes(record, undefined));
    expect(text).toContain('Kernel ended boot at: unknown (neither systemd nor the kernel log tells');
    expect(text).toContain('Cloud-init activated by systemd at: unknown');
    expect(text).toContain('Cloud-init start: unknown (no init-local line');
  });

  it('tell a container apart: it starts with its init, on the host’s monotonic clock', () => {
    const record = machine({ host: { virtualization: 'lxc' }, manager: managerTimes({ userspaceUs: 5_000_000 }) });
    const text = bootTimesText(bootTimes(record, log));
    expect(text).toContain('Container started at: 2026-11-15 21:00:05');
    expect(text).not.toContain('Kernel');
  });

  it('without systemd come from the log’s uptime line and the kernel log, and what is unknown is named', () => {
    const record = bootRecord({
      clock: { zero: 'kernel' },
      milestones: [{ name: 'userspace', atUs: 2_500_000, source: 'kernel' }],
    });
    const times = bootTimes(record, log);
    expect(times.kernelStart).toMatchObject({ monotonicUs: 0, errorUs: 505_000 });
    expect(times.kernelEnd).toMatchObject({ monotonicUs: 2_500_000 });
    expect(times.activated).toEqual({ unknown: 'no unit times: not systemd, or `systemctl show` was not given' });
  });

  it('are no more exact than the kernel log, which only brackets the start of userspace', () => {
    const milestones: BootRecord['milestones'] = [
      { name: 'userspace', atUs: 2_500_000, source: 'kernel', errorUs: 1_400_000 },
    ];
    const { manager: _, ...withoutManager } = machine({ units: [], milestones });
    const times = bootTimes(withoutManager, log);
    expect(times.kernelStart).toMatchObject({ errorUs: 2000 });
    expect(times.kernelEnd).toMatchObject({ monotonicUs: 2_500_000, errorUs: 1_400_000 });
  });

  it('are taken from that boot of a log which the record is of', () => {
    const boots = bootsIn(
      banner(stampAt(-600), 'init-local', 5) + stageLog('init-local', 20, 20) + banner(stampAt(900), 'init-local', 5),
    );
    expect(logOf(machine(), boots)).toBe(boots[1]);
    expect(logOf(undefined, boots)).toBe(boots[2]);
  });
});

describe('what cloud-init analyze boot prints', () => {
  const searched = [
    { name: 'init-local', description: 'starting search for local datasources', timestamp: 1794776930.104 },
  ];
  const golden = machine({
    clock: { zero: 'kernel', wallAtZeroUs: wall('2026-11-15T21:07:58Z') + 763_747 },
    manager: managerTimes({ userspaceUs: 10_494_711 }),
    units: [unit('cloud-init-local.service', 23.479731, 1)],
  });

  it('is the recorded block, to the last noisy digit of its doubles', () => {
    expect(compatBoot(searched, golden, compatVersion('22.4')).text).toBe(
      [
        '-- Most Recent Boot Record --',
        '    Kernel Started at: 2026-11-15 21:07:58.763747',
        '    Kernel ended boot at: 2026-11-15 21:08:09.258458',
        '    Kernel time to boot (seconds): 10.494710922241211',
        '    Cloud-init activated by systemd at: 2026-11-15 21:08:22.243478',
        '    Time between Kernel end boot and Cloud-init activation (seconds): 12.985020160675049',
        '    Cloud-init start: 2026-11-15 21:08:50.104000',
        '',
      ].join('\n'),
    );
  });

  it('edge case 21: up to 26.1 the status word goes to stderr and the exit code is 1, success or not', () => {
    expect(compatBoot(searched, golden, compatVersion('26.1'))).toMatchObject({ code: 1, word: 'successful' });
    expect(compatBoot([], golden, compatVersion('26.1'))).toMatchObject({ code: 1, word: 'failure' });
    const now = compatBoot(searched, golden, compatVersion('26.2'));
    expect(now.code).toBe(0);
    expect(now.word).toBeUndefined();
    expect(now.text).toContain('Cloud-init start: 2026-11-15 21:08:50.104000+00:00\n');
    expect(compatBoot([], golden, compatVersion('26.2')).code).toBe(1);
  });

  it('has three fields for a container and a message for what it does not know', () => {
    const container = { ...golden, host: { virtualization: 'docker' } };
    expect(compatBoot(searched, container, compatVersion('25.2')).text.split('\n')).toHaveLength(5);
    expect(compatBoot(searched, undefined, compatVersion('22.4')).text).toContain('readthedocs');
  });
});

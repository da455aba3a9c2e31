import { describe, expect, it } from 'vitest';
import { bootRecord, managerTimes, unit } from '../../testing.ts';
import { betweenUs, bootTimesText } from './boot-text.ts';
import { bootTimes } from './boot-times.ts';
import { bootsIn, stageLog } from './testing.ts';

const [log] = bootsIn(stageLog('init-local', 20, 20));
const machine = () =>
  bootRecord({
    clock: { zero: 'kernel', wallAtZeroUs: Date.UTC(2026, 10, 15, 21) * 1000, errorUs: 2000 },
    manager: managerTimes({ userspaceUs: 3_000_000 }),
    units: [unit('cloud-init-local.service', 8, 5)],
  });

describe('bootTimesText', () => {
  it('prints instants from the record and the log, and differences on the monotonic clock', () => {
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

  it('prints fewer lines for a container, which shares the kernel of its host', () => {
    const text = bootTimesText({
      host: 'container',
      kernelStart: { atUs: 5e6 },
      kernelEnd: { atUs: 5e6 },
      activated: { atUs: 8e6 },
      started: { atUs: 9.5e6 },
    });
    expect(text.split('\n')).toHaveLength(6);
    expect(text).toContain('Container started at: 1970-01-01 00:00:05\n');
    expect(text).toContain('Cloud-init activation and Cloud-init start (seconds): 1.500\n');
  });
});

describe('betweenUs', () => {
  it('uses the monotonic clock if both instants have it, else the wall clock, and is unknown if one is', () => {
    const from = { atUs: 100, monotonicUs: 7 };
    expect(betweenUs(from, { atUs: 300, monotonicUs: 9 })).toBe(2);
    expect(betweenUs(from, { atUs: 300 })).toBe(200);
    expect(betweenUs(from, { unknown: 'why' })).toBeUndefined();
    expect(betweenUs({ unknown: 'why' }, from)).toBeUndefined();
  });
});

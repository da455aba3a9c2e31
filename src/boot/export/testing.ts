// boot/export/testing.ts: a boot with everything that is hard to export: failures, quotes, formulas, times before the kernel.
import type { BootRecord } from '../model/record.ts';
import { bootRecord, managerTimes, span, unit } from '../testing.ts';

export const BOOT_ID = '0123456789abcdef0123456789abcdef';

export function boot(more: Partial<BootRecord> = {}): BootRecord {
  return bootRecord({
    bootId: BOOT_ID,
    host: {
      hostname: 'node-1',
      vmId: 'vm-1',
      architecture: 'x86-64',
      cloud: 'azure',
      nodeName: 'node-1',
      os: 'Debian 12',
    },
    clock: { zero: 'kernel', wallAtZeroUs: 1_700_000_000_000_001 },
    manager: managerTimes({ userspaceUs: 2_000_000, finishUs: 9_000_000, firmwareUs: 3_000_000, loaderUs: 1_000_000 }),
    units: [
      unit('-.slice', 2.5, 0),
      unit('net.service', 3, 2, ['-.slice']),
      unit('app.service', 5, 3, ['net.service'], { activeState: 'failed', description: '=HYPERLINK("x")' }),
      unit('multi-user.target', 8.5, 0, ['app.service']),
    ],
    spans: [
      span('cloud-init:stage', 5, 8, { unit: 'app.service' }),
      span('cloud-init:stage/a', 5, 6, { parent: 'cloud-init:stage' }),
      span('cloud-init:stage/b', 5.5, 7, {
        parent: 'cloud-init:stage',
        result: 'warn',
        detail: 'two\nlines, "quoted"',
      }),
    ],
    milestones: [{ name: 'vm-created', atUs: -20_000_000, source: 'platform' }],
    ...more,
  });
}

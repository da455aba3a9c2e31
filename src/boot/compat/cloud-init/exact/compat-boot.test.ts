import { describe, expect, it } from 'vitest';
import type { BootRecord } from '../../../model/record.ts';
import { bootRecord, managerTimes, unit } from '../../../testing.ts';
import { compatBoot } from './compat-boot.ts';
import { compatVersion } from './compat-version.ts';

describe('compatBoot', () => {
  const searched = [
    { name: 'init-local', description: 'starting search for local datasources', timestamp: 1794776930.104 },
  ];
  const golden: BootRecord = bootRecord({
    clock: { zero: 'kernel', wallAtZeroUs: Date.parse('2026-11-15T21:07:58Z') * 1000 + 763_747 },
    manager: managerTimes({ userspaceUs: 10_494_711 }),
    units: [unit('cloud-init-local.service', 23.479731, 1)],
  });

  it('prints the recorded output, including the rounding errors of doubles', () => {
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

  it('edge case 21: up to 26.1, prints the status word on stderr and exits with 1, even on success', () => {
    expect(compatBoot(searched, golden, compatVersion('26.1'))).toMatchObject({ code: 1, word: 'successful' });
    expect(compatBoot([], golden, compatVersion('26.1'))).toMatchObject({ code: 1, word: 'failure' });
    const now = compatBoot(searched, golden, compatVersion('26.2'));
    expect(now.code).toBe(0);
    expect(now.word).toBeUndefined();
    expect(now.text).toContain('Cloud-init start: 2026-11-15 21:08:50.104000+00:00\n');
    expect(compatBoot([], golden, compatVersion('26.2')).code).toBe(1);
  });

  it('prints the offset of UTC since 24.4, although 24.2 already reads the stamps of the log as UTC', () => {
    expect(compatBoot(searched, golden, compatVersion('24.3')).text).toContain('start: 2026-11-15 21:08:50.104000\n');
    expect(compatBoot(searched, golden, compatVersion('24.4')).text).toContain('21:08:50.104000+00:00\n');
  });

  it('prints three fields for a container, and a message for an unknown system', () => {
    const container = { ...golden, host: { virtualization: 'docker' } };
    expect(compatBoot(searched, container, compatVersion('25.2')).text.split('\n')).toHaveLength(5);
    expect(compatBoot(searched, undefined, compatVersion('22.4')).text).toContain('readthedocs');
  });

  it.each([
    ['a number', 5, 'not a list of events'],
    ['a list of numbers', [1], 'not an event'],
    ['an event without a name', [{}], "KeyError: 'name'"],
    ['a stage without a description', [{ name: 'init-local' }], "KeyError: 'description'"],
  ])('crashes for %s', (_, events, message) => {
    expect(() => compatBoot(events, golden, compatVersion('22.4'))).toThrow(message);
  });
});

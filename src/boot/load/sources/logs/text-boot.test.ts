import { describe, expect, test } from 'vitest';
import { clockMap } from '../../../model/clock-map.ts';
import { TextBoot } from './text-boot.ts';
import { parseTextLine } from './text-line.ts';

const NOW_US = Date.UTC(2022, 11, 1) * 1000;
const at = (text: string) => Date.parse(`2022-11-28T${text}Z`) * 1000;

function boot(...lines: string[]) {
  const text = new TextBoot('wall', undefined);
  for (const line of lines) text.add(parseTextLine(`Nov 28 ${line}`, NOW_US)!);
  const found = text.evidence('syslog');
  return { ...found, map: clockMap(found.anchors) };
}
const banner = (stamp: string, date: string, upS: number) =>
  `${stamp} n cloud-init[400]: Cloud-init v. 20.1 running 'init-local' at Mon, 28 Nov 2022 ${date} +0000. Up ${upS} seconds.`;

describe('TextBoot', () => {
  test('takes the start of cloud-init from the uptime in its banner, not from a receipt five seconds later', () => {
    const { monotonic, milestones, map } = boot(
      '10:00:12 n systemd[1]: Started a.service - A.',
      banner('10:00:12', '10:00:07', 7.21),
    );
    expect(monotonic?.milestones).toMatchObject([{ name: 'cloud-init-started', atUs: 7_210_000, errorUs: 10_000 }]);
    expect(milestones).toEqual([]);
    // Between 9:59:59.79 and 10:00:00.79.
    expect(map).toMatchObject({ wallAtZeroUs: at('10:00:00.290'), errorUs: 500_000, steps: [] });
  });

  test('warns that units are exact to a second, unless the stamps have fractions', () => {
    const notes = (stamp: string) =>
      (boot(`${stamp} n systemd[1]: Started a.service - A.`).unitNotes ?? []).map(({ text }) => text);
    expect(notes('10:00:12')).toEqual([expect.stringContaining('exact to 1 s')]);
    expect(notes('10:00:12.250000')).toEqual([]);
  });

  test('no line of a boot is from before its kernel start', () => {
    const finish = 'n systemd[1]: Startup finished in 3s (kernel) + 8s (userspace) = 11s.';
    const { map } = boot('10:00:05 n systemd[1]: Started a.service - A.', `10:00:20 ${finish}`);
    expect(map!.toMonotonicUs(at('10:00:05'))).toBeGreaterThanOrEqual(0);
    expect(map!.wallAtZeroUs - map!.errorUs).toBeLessThanOrEqual(at('10:00:06'));
  });

  test('lines after the clock was set back say nothing about the kernel start', () => {
    const { map } = boot(
      '10:00:10 n systemd[1]: Started a.service - A.',
      '10:00:16 n systemd[1]: Startup finished in 3s (kernel) + 8s (userspace) = 11s.',
      '09:55:40 n chronyd[9]: System clock was stepped by -273.020560 seconds',
    );
    expect(map).toMatchObject({ steps: [] });
    expect(map!.wallAtZeroUs).toBe(at('10:00:05'));
  });

  test('uses "Startup finished" with the lag of its receipt if there is nothing better', () => {
    const { map } = boot('10:00:16 n systemd[1]: Startup finished in 3s (kernel) + 8s (userspace) = 11s.');
    expect(map).toMatchObject({ wallAtZeroUs: at('10:00:05'), errorUs: 1e6 });
  });

  test('lines of the kernel that were received at once may be a minute late', () => {
    const { map } = boot(
      '10:00:57 n kernel: [    0.000000] Linux version 5.4.0',
      '10:00:57 n kernel: [    2.400000] a',
    );
    expect(map!.wallAtZeroUs - map!.errorUs).toBe(at('09:59:54.600'));
    expect(map!.wallAtZeroUs + map!.errorUs).toBe(at('10:00:55.600'));
  });

  test('the stamps of the kernel place its start, by the line that was received fastest', () => {
    const { map } = boot(
      '10:00:09 n kernel: [    0.000000] Linux version 5.4.0',
      '10:00:09 n kernel: [    5.000000] a',
      '10:00:12 n kernel: [   12.000000] b',
    );
    // b was received between 10:00:12 and 10:00:13, at most a second late.
    expect(map).toMatchObject({ wallAtZeroUs: at('10:00:00'), errorUs: 1e6 });
  });

  test('ignores the uptime of the host in a container', () => {
    const { monotonic, milestones } = boot(
      banner('10:00:07', '10:00:07', 612_000),
      '10:00:16 n systemd[1]: Startup finished in 11s.',
    );
    expect(monotonic).toBeUndefined();
    expect(milestones).toMatchObject([{ name: 'cloud-init-started', atUs: at('10:00:07'), errorUs: 6e6 }]);
  });

  test('keeps two clocks apart if the clock was set during the boot', () => {
    const { map } = boot(
      banner('10:00:07', '10:00:07', 7),
      '11:00:16 n systemd[1]: Startup finished in 3s (kernel) + 8s (userspace) = 11s.',
    );
    expect(map?.steps).toHaveLength(1);
    expect(map?.wallAtZeroUs).toBe(at('10:00:00.5'));
  });
});

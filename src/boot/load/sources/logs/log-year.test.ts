import { expect, test } from 'vitest';
import { memoryInput } from '../../input.ts';
import { bannerDate, dateHint, lacksYear } from './log-year.ts';

const NOW_US = Date.UTC(2026, 10, 16) * 1000;
const HOUR_US = 3_600e6;
const yearOf = (...lines: string[]) => {
  const hint = dateHint(memoryInput('syslog', lines.join('\n')), NOW_US);
  return hint && new Date(hint.nearUs / 1000).getUTCFullYear();
};

test.each([
  [
    'the banner of cloud-init',
    "cloud-init: Cloud-init v. 0.7.9 running 'init' at Mon, 28 Nov 2022 10:00:01 +0000. Up 7.21 seconds.",
  ],
  ['the hardware clock', 'kernel: rtc_cmos 00:00: setting system clock to 2022-11-28T10:00:00 UTC (1669629600)'],
  [
    'the hardware clock of older kernels',
    'kernel: [    1.9] rtc_cmos 00:00: setting system clock to 2022-11-28 10:00:00 UTC (1669629600)',
  ],
  ['an audit record', 'kernel: audit: type=2000 audit(1669629600.123:1): state=initialized'],
  ['a date of another program', 'app[1]: time="2022-11-28T10:00:00Z" level=info msg=x'],
  ['a date in words', 'ntpd[1]: set time to Mon Nov 28 10:00:00 UTC 2022'],
])('takes the year from %s, wherever it is in the log', (_, message) => {
  expect(yearOf('Nov 28 09:59:59 n app: first', `Nov 28 10:00:02 n ${message}`)).toBe(2022);
});

test.each([
  ['the build date of the kernel', 'kernel: Linux version 5.4.0 (x) #1 SMP Mon Nov 28 10:00:00 UTC 2016'],
  ['a certificate that expires on this day', 'kubelet: Certificate expiration is 2023-11-28 10:00:00 +0000 UTC'],
  ['a date of another day', 'app: released 2022-03-01 10:00:00'],
  ['a date in the future', 'app: runs on 2029-11-28 10:00:00'],
  ['a clock that was not set', 'kernel: rtc_cmos 00:00: setting system clock to 1970-01-01T00:00:10 UTC (10)'],
])('does not take the year from %s', (_, message) => {
  const line = `Nov 28 10:00:02 n ${message}`;
  expect(yearOf(line)).toBeUndefined();
  expect(lacksYear(memoryInput('syslog', line), NOW_US)).toBe(true);
});

test('takes the year from lines with colours', () => {
  expect(yearOf('\x1b[32mNov 28 10:00:03\x1b[0m n kernel: audit: type=2000 audit(1669629600.123:1): x')).toBe(2022);
});

test('prefers a date that was certainly printed at its moment', () => {
  const weak = 'Nov 28 10:00:02 n app: read state of 2021-11-28 09:00:00';
  expect(yearOf(weak, 'Nov 28 10:00:03 n kernel: audit: type=2000 audit(1669629600.123:1): x')).toBe(2022);
});

test('learns the zone from a banner only', () => {
  const banner =
    "Nov 28 05:00:09 n cloud-init: Cloud-init v. 22.4 running 'init' at Mon, 28 Nov 2022 10:00:01 +0000. Up 7 seconds.";
  expect(dateHint(memoryInput('a', banner), NOW_US)?.zoneUs).toBe(-5 * HOUR_US);
  const audit = 'Nov 28 05:00:09 n kernel: audit: type=2000 audit(1669629600.123:1): x';
  expect(dateHint(memoryInput('b', audit), NOW_US)).not.toHaveProperty('zoneUs');
  expect(dateHint(memoryInput('c', `${audit}\n${banner}`), NOW_US)?.zoneUs).toBe(-5 * HOUR_US);
});

test('takes the year from another input of the same weeks', () => {
  const input = memoryInput('syslog', 'Jan  2 10:00:02 n app: x');
  const dates = [Date.UTC(2024, 5, 1) * 1000, Date.UTC(2021, 11, 30) * 1000];
  expect(dateHint(input, NOW_US, dates)).toEqual({ nearUs: dates[1] });
  expect(dateHint(input, NOW_US, [dates[0]!])).toBeUndefined();
});

test('a log whose stamps have a year needs no hint', () => {
  const input = memoryInput('syslog', '2022-11-28T10:00:02Z n app: x');
  expect(lacksYear(input, NOW_US)).toBe(false);
  expect(dateHint(input, NOW_US, [1])).toBeUndefined();
});

test('bannerDate is undefined for other lines', () => {
  expect(bannerDate('Cloud-init v. 22.4 finished at noon')).toBeUndefined();
});

import { expect, test } from 'vitest';
import { parseTextLine } from './text-line.ts';

const NOW_US = Date.UTC(2026, 10, 16) * 1000;

test.each([
  ['Nov 15 21:08:50 n a[7]: x', { clock: 'wall', identifier: 'a', pid: '7', isYearless: true, resolutionUs: 1e6 }],
  ['Nov 15 21:08:50.123456 n a: x', { isYearless: true, resolutionUs: 1 }],
  ['2026-11-15T21:08:50+00:00 n a: x', { resolutionUs: 1e6 }],
  ['2026-11-15T21:08:50.5+00:00 n a: x', { resolutionUs: 1 }],
  ['Nov 15 21:08:50 n [eb-cfn-init]: x', { host: 'n', identifier: '[eb-cfn-init]', message: 'x' }],
  ['Nov 15 21:08:50 n [eb-cfn-init][12]: x', { identifier: '[eb-cfn-init]', pid: '12' }],
  ['[   12.345678] n a: x', { clock: 'monotonic', atUs: 12_345_678 }],
  ['Nov 15 21:08:50 n kernel: [    1.250000] Linux version 5', { kernelUs: 1.25e6, message: 'Linux version 5' }],
  ['Nov 15 21:08:50 n kernel: [Firmware Bug]: x', { message: '[Firmware Bug]: x' }],
  ['I1115 21:09:53.500000    1 a.go:1] "x"', { identifier: 'kubelet', isYearless: true, resolutionUs: 1 }],
])('parses %s', (line, expected) => {
  expect(parseTextLine(line, NOW_US)).toMatchObject(expected);
});

test.each(['', 'nonsense', 'Foo 15 21:08:50 n a: x'])('refuses %j', (line) => {
  expect(parseTextLine(line, NOW_US)).toBeUndefined();
});

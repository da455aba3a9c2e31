import { describe, expect, test } from 'vitest';
import { BootSplitter } from './split-boots.ts';
import { parseTextLine } from './text-line.ts';

const NOW_US = Date.UTC(2026, 10, 20) * 1000;

/** The lines of each boot, shortened to their last word. */
function boots(lines: readonly string[]): string[] {
  const found: string[] = [];
  const splitter = new BootSplitter((line, startsBoot) => {
    if (startsBoot) found.push('');
    found[found.length - 1] += ` ${line.message.split(' ').at(-1)}`;
  });
  for (const line of lines) {
    if (line === '-- Reboot --') splitter.separate();
    else splitter.add(parseTextLine(line, NOW_US)!);
  }
  splitter.finish();
  return found.map((text) => text.trim());
}

const banner = (stamp: string, up: string, stage = 'init-local') =>
  `Nov 15 ${stamp} n cloud-init[9]: Cloud-init v. 22.4.2 running '${stage}' at Sun, 15 Nov 2026 ${stamp} +0000. Up ${up} seconds. ${up}`;
const finished = (stamp: string, kernel: number, userspace: number) =>
  `Nov 15 ${stamp} n systemd[1]: Startup finished in ${kernel}s (kernel) + ${userspace}s (userspace) = ${kernel + userspace}s`;
const plain = (stamp: string, word: string) => `Nov 15 ${stamp} n x: ${word}`;
const kernel = (stamp: string, seconds: string, text: string) => `Nov 15 ${stamp} n kernel: [${seconds}] ${text}`;

describe('BootSplitter', () => {
  test('a log without kernel lines: an uptime lower than before, with the lines since that start', () => {
    expect(
      boots([
        plain('10:00:09', 'a'),
        banner('10:00:09', '9.58'),
        finished('10:00:13', 2, 14),
        plain('10:59:00', 'stop'),
        plain('11:00:03', 'b'),
        banner('11:00:03', '2.57'),
        banner('11:00:05', '5.07', 'init'),
      ]),
    ).toEqual(['a 9.58 16s stop', 'b 2.57 5.07']);
  });

  test('a log without banners: the second end of start-up', () => {
    expect(
      boots([
        finished('10:00:13', 2, 4),
        plain('10:59:00', 'stop'),
        plain('11:00:03', 'b'),
        finished('11:00:20', 2, 16),
      ]),
    ).toEqual(['6s stop', 'b 18s']);
  });

  test('the first line of the kernel, with lines of the same second before it', () => {
    expect(
      boots([
        plain('10:00:09', 'a'),
        kernel('10:00:09', '    0.000000', 'Linux version A'),
        plain('10:30:00', 'stop'),
        plain('10:31:00', 'b'),
        kernel('10:31:00', '    0.000000', 'Booting Linux first'),
        kernel('10:31:00', '    0.000000', 'Linux version B'),
      ]),
    ).toEqual(['a A stop', 'b first B']);
  });

  test('a kernel stamp that falls back, if the first line is missing', () => {
    expect(
      boots([kernel('10:00:09', '   61.000000', 'a'), kernel('10:31:00', '    0.000000', 'Command line: b')]),
    ).toEqual(['a', 'b']);
  });

  test('a clock that was set back while the machine was off', () => {
    expect(
      boots([
        banner('10:43:04', '19.25'),
        plain('15:00:00', 'stop'),
        plain('14:17:01', 'b'),
        kernel('14:17:01', '    0.000000', 'Linux version B'),
      ]),
    ).toEqual(['19.25 stop', 'b B']);
  });

  test.each([
    ['banners that were received in another order', [banner('10:00:09', '9.5', 'init'), banner('10:00:09', '8.5')]],
    [
      'lines of the kernel that were received in another order',
      [kernel('10:00:09', '    9.1', 'a'), kernel('10:00:09', '    9.0', 'b')],
    ],
    ['a clock that was set during the boot', [banner('10:00:09', '9.5'), banner('13:00:20', '20.5', 'init')]],
    ['the same end of start-up twice', [finished('10:00:13', 2, 4), finished('10:00:13', 2, 4)]],
    [
      'start-up of a user manager',
      [finished('10:00:13', 2, 4), 'Nov 15 10:10:00 n systemd[548]: Startup finished in 120ms.'],
    ],
  ])('does not split at %s', (_, lines) => {
    const wide = lines.map((line) => line.replace(/\[ *(\d+\.\d)\]/, '[    $100000]'));
    expect(boots(wide)).toHaveLength(1);
  });

  test('the first line of the kernel in a log of uptimes', () => {
    expect(
      boots([
        '[    0.000000] n kernel: Linux version A',
        '[  500.000000] n x: stop',
        '[    0.000000] n kernel: Linux version B',
        '[    0.000000] n kernel: Linux version C',
      ]),
    ).toEqual(['A stop', 'B', 'C']);
  });

  test('a line between two boots in the log separates them', () => {
    expect(boots([plain('10:00:00', 'a'), '-- Reboot --', plain('10:00:01', 'b')])).toEqual(['a', 'b']);
  });

  test('passes every line on, in order', () => {
    const lines = Array.from({ length: 45_000 }, (_, i) => plain(`1${i % 10}:00:00`, String(i)));
    expect(boots(lines).join(' ')).toBe(Array.from(lines, (_, i) => String(i)).join(' '));
  });
});

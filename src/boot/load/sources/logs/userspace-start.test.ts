import { describe, expect, test } from 'vitest';
import { UserspaceStart } from './userspace-start.ts';

type Line = [atS: number, message: string];

function read(lines: readonly Line[], clock: 'monotonic' | 'wall' = 'monotonic'): UserspaceStart {
  const start = new UserspaceStart(clock);
  for (const [atS, message] of lines) {
    const atUs = Math.round(atS * 1e6);
    if (/^(?:systemd|Running) /.test(message)) start.addPid1Line(atUs, message);
    else start.addKernelLine(atUs, message);
  }
  return start;
}

const RAN_INIT = 'Run /sbin/init as init process';
const RAN_INITRAMFS = 'Run /init as init process';
const BANNER = 'systemd 245.4-4ubuntu3.17 running in system mode. (+PAM)';
const FREED = 'Freeing unused kernel image (initmem) memory: 2740K';

describe('UserspaceStart', () => {
  test.each<[string, Line[], number, number]>([
    ['init without an initrd', [[1.95, RAN_INIT]], 1.95, 0.5],
    [
      'init without an initrd, not from its banner',
      [
        [2.4, RAN_INIT],
        [2.8, BANNER],
      ],
      2.4,
      0.5,
    ],
    [
      'the banner after an initramfs',
      [
        [2, RAN_INITRAMFS],
        [6, BANNER],
      ],
      6,
      4.5,
    ],
    [
      'the banner after the kernel freed its memory',
      [
        [2, FREED],
        [2.5, BANNER],
      ],
      2.5,
      1,
    ],
    ['a banner of RHEL 8', [[2, 'systemd 239 (239-82.el8_10.2) running in system mode. (+PAM)']], 2, 2.5],
    ['the freed memory, if there is no initramfs', [[2, FREED]], 2, 1],
    [
      'the banner in the real root, not in the initrd',
      [
        [1, BANNER],
        [1, 'Running in initial RAM disk.'],
        [4, BANNER],
      ],
      4,
      4.5,
    ],
    [
      'the first banner in the real root, not that of a later version',
      [
        [2, RAN_INITRAMFS],
        [3, BANNER],
        [220, BANNER],
      ],
      3,
      1.5,
    ],
  ])('takes it from %s', (_, lines, atS, errorS) => {
    expect(read(lines).milestone()).toMatchObject({ atUs: atS * 1e6, errorUs: errorS * 1e6 });
  });

  test.each<[string, Line[]]>([
    ['runs the program of an initramfs', [[0.897, RAN_INITRAMFS]]],
    [
      'frees its memory after it unpacked an initramfs',
      [
        [0.3, 'Unpacking initramfs...'],
        [0.6, FREED],
      ],
    ],
    [
      'frees its memory and runs the program of an initramfs',
      [
        [0.6, FREED],
        [0.7, RAN_INITRAMFS],
      ],
    ],
    [
      'runs systemd in the initrd',
      [
        [1.65, BANNER],
        [1.67, 'Running in initrd.'],
      ],
    ],
    ['logs none of it', [[0, 'Linux version 6.1.0']]],
  ])('is unknown if the kernel only %s', (_, lines) => {
    expect(read(lines).milestone()).toBeUndefined();
  });

  test('is as inexact as the receipt in a wall-clock log', () => {
    expect(read([[1000, RAN_INIT]], 'wall').milestone()).toMatchObject({ errorUs: 6e6 });
  });
});

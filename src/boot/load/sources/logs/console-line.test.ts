import { expect, test } from 'vitest';
import { consolePieces, parseConsoleLine } from './console-line.ts';

test.each([
  [
    '[    1.500000] Run /init as init process',
    { kind: 'stamped', atUs: 1.5e6, identifier: 'kernel', message: 'Run /init as init process' },
  ],
  [
    '[    4.345840] systemd[1]: Started a.',
    { kind: 'stamped', atUs: 4_345_840, identifier: 'kernel', message: 'systemd[1]: Started a.' },
  ],
  ['[   10.1     ] x', undefined],
  [
    '[   16.000001] cloud-init[568]: Generating keys',
    { kind: 'stamped', atUs: 16_000_001, identifier: 'cloud-init', pid: '568', message: 'Generating keys' },
  ],
  [
    '[  OK  ] Reached target Network is Online.',
    { kind: 'status', isFailed: false, text: 'Reached target Network is Online.' },
  ],
  [
    '[FAILED] Failed to start a.service - A.',
    { kind: 'status', isFailed: true, text: 'Failed to start a.service - A.' },
  ],
  [
    '[ ***  ] (1 of 2) A start job is running for Wait for Network (1min 3s / 2min)',
    { kind: 'job', name: 'Wait for Network', tookUs: 63e6 },
  ],
  ['node-1 login: ', { kind: 'login', hostname: 'node-1' }],
  ['Last login: Tue', undefined],
  ['GRUB loading.', undefined],
])('parseConsoleLine(%j)', (line, parsed) => {
  expect(parseConsoleLine(line)).toEqual(parsed);
});

test('a banner is the time of its line, with and without a stamp before it', () => {
  const banner = "Cloud-init v. 24.1 running 'init' at Tue, 17 Nov 2026 10:00:07 +0000. Up 7.20 seconds.";
  for (const line of [banner, `[    7.300000] cloud-init[512]: ${banner}`])
    expect(parseConsoleLine(line)).toMatchObject({ kind: 'banner', banner: { upUs: 7.2e6, stage: 'init-network' } });
});

test('a paste without escape characters, quoted or indented, is read too', () => {
  expect(consolePieces('[[0;32m  OK  [0m] Started [0;1;39mA[0m.')).toEqual(['[  OK  ] Started A.']);
  expect(consolePieces('> [  OK  ] Started A.')).toEqual(['[  OK  ] Started A.']);
  expect(consolePieces('    [    1.500000] x')).toEqual(['[    1.500000] x']);
});

test('colours, carriage returns and glued status lines are taken apart', () => {
  expect(consolePieces('[\u001b[0;32m  OK  \u001b[0m] Started \u001b[0;1;39mA\u001b[0m.\r')).toEqual([
    '[  OK  ] Started A.',
  ]);
  expect(consolePieces('\u001b[K[   16.1] key.pub[  OK  ] Started B.\r[FAILED] C')).toEqual([
    '[   16.1] key.pub',
    '[  OK  ] Started B.',
    '[FAILED] C',
  ]);
});

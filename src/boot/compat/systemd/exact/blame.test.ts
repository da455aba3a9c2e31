import { expect, test } from 'vitest';
import { boot, unit } from '../testing.ts';
import { behaviourOf } from '../versions.ts';
import { compatSystemdBlame } from './blame.ts';

const record = boot([unit('quick.service', 3, 3.5), unit('slow.service', 4, 16), unit('instant.target', 5, 5)]);
const V262 = behaviourOf(262);

test('blame prints the slowest first, and pads names from v243 to v245', () => {
  expect(compatSystemdBlame(record, V262).stdout).toBe('  12s slow.service\n500ms quick.service\n');
  expect(compatSystemdBlame(record, behaviourOf(245)).stdout).toBe('  12s slow.service \n500ms quick.service\n');
});

test('blame --json prints the same rows in microseconds since v262', () => {
  const rows = [
    { time: 12e6, unit: 'slow.service' },
    { time: 500_000, unit: 'quick.service' },
  ];
  expect(compatSystemdBlame(record, V262, 'short').stdout).toBe(`${JSON.stringify(rows)}\n`);
  expect(compatSystemdBlame(record, V262, 'pretty').stdout).toBe(
    '[\n\t{\n\t\t"time" : 12000000,\n\t\t"unit" : "slow.service"\n\t},\n' +
      '\t{\n\t\t"time" : 500000,\n\t\t"unit" : "quick.service"\n\t}\n]\n',
  );
});

test('blame --json fails before v262, as an option that only other verbs have', () => {
  expect(compatSystemdBlame(record, behaviourOf(261), 'short')).toMatchObject({
    stdout: '',
    exitCode: 1,
    stderr: expect.stringContaining('261 has no blame --json'),
  });
});

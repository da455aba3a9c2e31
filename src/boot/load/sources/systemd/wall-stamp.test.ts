import { expect, test } from 'vitest';
import { parseWallStamp } from './wall-stamp.ts';

test.each([
  ['Tue 2023-11-14 22:13:20 UTC', 1_700_000_000_000_000, 1e6],
  ['Tue 2023-11-14 22:13:20.000007 UTC', 1_700_000_000_000_007, 1],
  ['2023-11-14T23:13:20.5+01:00', 1_700_000_000_500_000, 1e5],
  ['Tue 2023-11-14 20:43:20 -0130', 1_700_000_000_000_000, 1e6],
  ['@1700000000', 1_700_000_000_000_000, 1e6],
  ['@1700000000.123456', 1_700_000_000_123_456, 1],
])('parseWallStamp parses %s', (text, wallUs, errorUs) => {
  expect(parseWallStamp(text)).toEqual({ wallUs, errorUs });
});

test('parseWallStamp rejects zone abbreviations and text that is not a stamp', () => {
  expect(parseWallStamp('Tue 2023-11-14 22:13:20 IST')).toEqual({ untrustedZone: 'IST' });
  for (const text of ['', 'n/a', '0', 'yesterday']) expect(parseWallStamp(text)).toBeUndefined();
});

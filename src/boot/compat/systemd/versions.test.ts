import { expect, test } from 'vitest';
import { behaviourOf, NEWEST_VERSION, OLDEST_VERSION, parseVersion } from './versions.ts';

test('--compat takes a version as systemd writes it and refuses what it does not know', () => {
  expect(parseVersion('252.39-1~deb12u2')).toBe(252);
  expect(parseVersion(true)).toBe(NEWEST_VERSION);
  for (const text of ['', '9', '2520', 'cloud', String(OLDEST_VERSION - 1), String(NEWEST_VERSION + 1)]) {
    expect(() => parseVersion(text)).toThrow(/not a systemd version/);
  }
});

test.each([
  ['hasNewChainHeader', 242],
  ['hasFullStop', 251],
  ['hasPlotTable', 253],
  ['blamesUnfinished', 254],
  ['hasTooltips', 255],
  ['guardsPreUserspace', 256],
  ['supportsSoftReboot', 256],
  ['drawsBindsTo', 256],
  ['hasTooltipTimes', 257],
] as const)('%s from v%i on', (field, since) => {
  expect([behaviourOf(since - 1)[field], behaviourOf(since)[field], behaviourOf(NEWEST_VERSION)[field]]).toEqual([
    false,
    true,
    true,
  ]);
});

test('blame was padded for three versions only', () => {
  const padded = [242, 243, 245, 246].map((version) => behaviourOf(version).padsBlame);
  expect(padded).toEqual([false, true, true, false]);
});

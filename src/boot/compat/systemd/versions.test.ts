import { expect, test } from 'vitest';
import { behaviourOf, NEWEST_VERSION, OLDEST_VERSION, parseVersion } from './versions.ts';

test('parseVersion accepts versions as systemd prints them and rejects unknown ones', () => {
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
] as const)('behaviourOf sets %s from v%i on', (field, since) => {
  expect([behaviourOf(since - 1)[field], behaviourOf(since)[field], behaviourOf(NEWEST_VERSION)[field]]).toEqual([
    false,
    true,
    true,
  ]);
});

test('behaviourOf pads blame only from v243 to v245', () => {
  const padded = [242, 243, 245, 246].map((version) => behaviourOf(version).padsBlame);
  expect(padded).toEqual([false, true, true, false]);
});

import { expect, test } from 'vitest';
import { behaviourOf, NEWEST_NAME, NEWEST_VERSION, OLDEST_VERSION, parseVersion } from './versions.ts';

test('parseVersion accepts versions as systemd prints them and rejects unknown ones', () => {
  expect(parseVersion('252.39-1~deb12u2')).toEqual({ version: 252, point: 39 });
  expect(parseVersion('v262')).toEqual({ version: 262, point: 0 });
  expect(parseVersion('262~rc2')).toEqual({ version: 262, point: 0 });
  expect(parseVersion(true)).toEqual(parseVersion(NEWEST_NAME));
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
  ['hasPlotScale', 257],
  ['hasTooltipTimes', 257],
  ['readsPreviousShutdown', 262],
  ['hasBlameJson', 262],
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

test('behaviourOf pads the microseconds of a tooltip to six digits since v262.1', () => {
  expect(behaviourOf(261, 9).padsMicros).toBe(false);
  expect(behaviourOf(262).padsMicros).toBe(false);
  expect(behaviourOf(262, 1).padsMicros).toBe(true);
});

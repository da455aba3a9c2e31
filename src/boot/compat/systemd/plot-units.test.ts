import { expect, test } from 'vitest';
import { limitToBoot } from './plot-units.ts';

const FINISH = 60;
const limited = (...[activatingUs, activatedUs, deactivatingUs, deactivatedUs]: [number, number, number, number]) => {
  const times = limitToBoot({ activatingUs, activatedUs, deactivatingUs, deactivatedUs }, FINISH);
  return [times.activatingUs, times.activatedUs, times.deactivatingUs, times.deactivatedUs];
};

test.each([
  ['stays up to the end of the boot', limited(3, 5, 0, 0), [3, 5, 60, 60]],
  ['stopped before the end of the boot', limited(3, 5, 7, 8), [3, 5, 7, 8]],
  ['is still starting', limited(3, 0, 0, 0), [3, 60, 60, 60]],
  ['failed to start (no active bar)', limited(3, 0, 0, 8), [3, 8, 8, 8]],
  ['became active after the boot', limited(3, 70, 80, 90), [3, 60, 60, 60]],
  ['stopped after the boot', limited(3, 5, 70, 80), [3, 5, 60, 60]],
  ['was restarted (its end belongs to the earlier run)', limited(30, 31, 7, 8), [30, 31, 60, 60]],
])('limitToBoot handles a unit that %s', (_, drawn, expected) => {
  expect(drawn).toEqual(expected);
});

import { expect, test } from 'vitest';
import { stampsOf } from './drawn-unit.ts';

const FINISH = 60e6;
const bars = (activatingUs: number, activatedUs: number, more = {}) => ({
  activatingUs,
  activatedUs,
  deactivatingUs: FINISH,
  deactivatedUs: FINISH,
  ...more,
});

test.each([
  ['stayed active to the end of the boot', bars(3e6, 5e6), [3e6, 5e6, 0, 0]],
  [
    'stopped before the end of the boot',
    bars(3e6, 5e6, { deactivatingUs: 7e6, deactivatedUs: 8e6 }),
    [3e6, 5e6, 7e6, 8e6],
  ],
  ['ended without becoming active', bars(3e6, 8e6, { deactivatingUs: 8e6, deactivatedUs: 8e6 }), [3e6, 0, 0, 8e6]],
  ['started at the very end of the boot', bars(FINISH, FINISH), [FINISH, FINISH, 0, 0]],
  ['is clipped, with a label without a time (still starting)', bars(3e6, FINISH, { labelTookUs: 0 }), [3e6, 0, 0, 0]],
  [
    'is clipped, with a label with a time (became active later)',
    bars(3e6, FINISH, { labelTookUs: 90e6 }),
    [3e6, 93e6, 0, 0],
  ],
  ['is clipped, without a label', bars(3e6, FINISH), [3e6, FINISH, 0, 0]],
])('stampsOf handles a unit that %s', (_, drawn, expected) => {
  const { activatingUs, activatedUs, deactivatingUs, deactivatedUs } = stampsOf(drawn, FINISH, 10);
  expect([activatingUs, activatedUs, deactivatingUs, deactivatedUs]).toEqual(expected);
});

test('stampsOf treats stamps closer than the resolution as equal', () => {
  const drawn = bars(3e6, 8e6, { deactivatingUs: 8e6, deactivatedUs: 8e6 + 9 });
  expect(stampsOf(drawn, FINISH, 10)).toMatchObject({ activatedUs: 0 });
  expect(stampsOf(drawn, FINISH, 5)).toMatchObject({ activatedUs: 8e6 });
});

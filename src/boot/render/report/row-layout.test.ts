import fc from 'fast-check';
import { expect, test } from 'vitest';
import { laneOf, layoutRows } from './row-layout.ts';
import { row } from './testing.ts';

const lineOf = (has: boolean[]) => ({ bars: has.map((is) => (is ? row('x', 0, 1) : undefined)) });
const several = { boots: 4, stepPx: 11, namePx: 0 };

test('a boot without the span takes no room in its row', () => {
  const layout = layoutRows([lineOf([true, true, true, true]), lineOf([false, false, true, false])], several);
  expect([layout.heightPx(0), layout.heightPx(1)]).toEqual([50, 20]);
  expect(laneOf(lineOf([false, false, true, false]), 2)).toBe(0);
  expect(laneOf(lineOf([true, false, true, false]), 2)).toBe(1);
});

test('a name above the bar makes a row higher', () => {
  const layout = layoutRows([lineOf([true])], { boots: 1, stepPx: 13, namePx: 17 });
  expect(layout.heightPx(0)).toBe(24 + 17);
});

test('the row at a position is the one that covers it', () => {
  const anyLines = fc.array(fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }).map(lineOf), { minLength: 1 });
  fc.assert(
    fc.property(anyLines, fc.double({ min: 0, max: 0.999, noNaN: true }), (lines, share) => {
      const layout = layoutRows(lines, several);
      const px = share * layout.topPx(lines.length);
      const at = layout.rowAt(px);
      expect(layout.topPx(at)).toBeLessThanOrEqual(px);
      expect(layout.topPx(at) + layout.heightPx(at)).toBeGreaterThan(px);
    }),
  );
});

test('no lines have no height', () => {
  const layout = layoutRows([], several);
  expect([layout.rowAt(50), layout.topPx(0), layout.heightPx(0)]).toEqual([0, 0, 0]);
});

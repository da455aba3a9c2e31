// boot/render/report/row-layout.ts: where is each row of the chart, if rows have different heights?
import type { Line } from './lines.ts';

export interface RowLayout {
  /** Also for one past the last row: the height of all. */
  topPx(row: number): number;
  heightPx(row: number): number;
  /** The row at this distance from the top; the last one below all. */
  rowAt(px: number): number;
}

export interface RowMeasures {
  boots: number;
  /** From one bar to the next, with several boots. */
  stepPx: number;
  /** Of the name above the bar; 0 if names have a column. */
  namePx: number;
}

const ONE_BAR_PX = 24;
const AROUND_BARS_PX = 6;

export function layoutRows(lines: readonly Pick<Line, 'bars'>[], measures: RowMeasures): RowLayout {
  const tops = [0];
  for (const line of lines) tops.push(tops.at(-1)! + rowHeight(line, measures));
  return {
    topPx: (row) => tops[row] ?? 0,
    heightPx: (row) => (tops[row + 1] ?? 0) - (tops[row] ?? 0),
    rowAt(px) {
      let [low, high] = [0, Math.max(0, lines.length - 1)];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (tops[middle]! <= px) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
}

/** A boot without the span takes no room. */
function rowHeight({ bars }: Pick<Line, 'bars'>, { boots, stepPx, namePx }: RowMeasures): number {
  const present = bars.filter((bar) => bar).length;
  return namePx + (boots > 1 ? Math.max(ONE_BAR_PX - 4, AROUND_BARS_PX + stepPx * present) : ONE_BAR_PX);
}

/** The position of a boot's bar among the bars of its row. */
export function laneOf({ bars }: Pick<Line, 'bars'>, boot: number): number {
  return bars.slice(0, boot).filter((bar) => bar).length;
}

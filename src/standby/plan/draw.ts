// standby/plan/draw.ts: which of the measured times does each arrival take? Fixed, so that all mixes are compared under equal luck.

/** Multiples of an irrational number, modulo 1, are spread evenly and never fall into step with a period of the arrivals. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;
const SILVER = Math.sqrt(2) - 1;

/**
 * The same arrival takes the same quantile of each tier: an arrival that is slow from one tier is slow from all, so that the tiers
 * differ by their measurements only.
 */
export const drawReady = (measured: readonly number[], count: number) => draw(measured, count, GOLDEN);
export const drawRefill = (measured: readonly number[], count: number) => draw(measured, count, SILVER);

function draw(measured: readonly number[], count: number, stride: number): Float64Array {
  const sorted = [...measured].sort((a, b) => a - b);
  return Float64Array.from(
    { length: count },
    (_, n) => sorted[Math.floor((((n + 0.5) * stride) % 1) * sorted.length)]!,
  );
}

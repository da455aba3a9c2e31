// boot/model/noise.ts: what is the typical value of several measurements, and which difference is only noise?

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return 0;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Mean range of 2, 3 and 4 normal values, in standard deviations: too few values for a useful median deviation. */
const MEAN_RANGE = [1.128, 1.693, 2.059];

/** A standard deviation that is robust against one slow outlier; undefined for a single value. */
export function spread(values: readonly number[]): number | undefined {
  if (values.length < 2) return undefined;
  const meanRange = MEAN_RANGE[values.length - 2];
  if (meanRange !== undefined) return (Math.max(...values) - Math.min(...values)) / meanRange;
  const middle = median(values);
  return 1.4826 * median(values.map((value) => Math.abs(value - middle)));
}

/**
 * The distance of two medians that chance alone explains in 19 of 20 cases. A side with a single value is assumed to vary like the
 * other side; undefined if both sides have a single value.
 */
export function noiseOf(before: readonly number[], after: readonly number[]): number | undefined {
  const one = spread(before) ?? spread(after);
  const other = spread(after) ?? spread(before);
  if (one === undefined || other === undefined || before.length === 0 || after.length === 0) return undefined;
  return 2 * Math.hypot(one * errorOfMedian(before.length), other * errorOfMedian(after.length));
}

function errorOfMedian(count: number): number {
  return count <= 2 ? 1 / Math.sqrt(count) : 1.2533 / Math.sqrt(count);
}

// standby/plan/binomial.ts: what do so many arrivals prove of the share that was in time? Exact (Clopper-Pearson) intervals.

/** One-sided for `mostLate`: at most this chance that an objective is called met although the true share is below it. */
const ERROR = 0.05;

/** How many of `count` arrivals may be late so that the objective is met with 95 % confidence; undefined: too few arrivals. */
export function mostLate(count: number, quantile: number): number | undefined {
  if (quantile <= 0) return count;
  const isProof = (late: number) => atMost(late, count, 1 - quantile) <= ERROR;
  if (quantile >= 1 || count < 1 || !isProof(0)) return undefined;
  let [proof, none] = [0, count];
  while (none - proof > 1) {
    const middle = Math.floor((proof + none) / 2);
    if (isProof(middle)) proof = middle;
    else none = middle;
  }
  return proof;
}

/** The fewest arrivals with which an objective can be met; undefined: none are enough, as for 100 %. */
export function fewestArrivals(quantile: number): number | undefined {
  if (quantile >= 1) return undefined;
  return quantile <= 0 ? 1 : Math.max(1, Math.ceil(Math.log(ERROR) / Math.log(quantile) - 1e-9));
}

/** Two-sided 95 % interval of a share of which `hits` of `count` were seen. */
export function shareInterval(hits: number, count: number): { low: number; high: number } {
  if (count === 0) return { low: 0, high: 1 };
  return {
    low: hits === 0 ? 0 : bisect((share) => 1 - atMost(hits - 1, count, share) > ERROR / 2),
    high: hits === count ? 1 : bisect((share) => atMost(hits, count, share) < ERROR / 2),
  };
}

/** The smallest share for which `holds`; it holds for all larger ones. */
function bisect(holds: (share: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let round = 0; round < 50; round++) {
    const middle = (low + high) / 2;
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

/** The chance of at most `seen` of `count`, each with the chance `share`: the regularised incomplete beta function. */
export function atMost(seen: number, count: number, share: number): number {
  if (seen >= count) return 1;
  if (share <= 0) return 1;
  if (share >= 1) return 0;
  return incompleteBeta(1 - share, count - seen, seen + 1);
}

function incompleteBeta(x: number, a: number, b: number): number {
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  // The continued fraction converges fast below the mean.
  return x < (a + 1) / (a + b + 2) ? (front * fraction(x, a, b)) / a : 1 - (front * fraction(1 - x, b, a)) / b;
}

/** Lentz's method. */
function fraction(x: number, a: number, b: number): number {
  const awayFromZero = (value: number) => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let c = 1;
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= 5000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let step = 1;
    for (const term of [even, odd]) {
      d = 1 / awayFromZero(1 + term * d);
      c = awayFromZero(1 + term / c);
      step = c * d;
      result *= step;
    }
    if (Math.abs(step - 1) < 1e-12) break;
  }
  return result;
}

/** Lanczos' approximation with g = 7. */
function logGamma(z: number): number {
  const terms = LANCZOS.reduce((sum, term, n) => sum + term / (z + n), 0.99999999999980993);
  const t = z + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (z - 0.5) * Math.log(t) - t + Math.log(terms);
}

const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

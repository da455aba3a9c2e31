// base/duration.ts: how are time spans formatted and parsed, as in systemd?

const US_PER_MS = 1_000n;
const US_PER_S = 1_000_000n;
const US_PER_MIN = 60n * US_PER_S;

const UNITS: readonly (readonly [suffix: string, us: bigint])[] = [
  ['y', 31_557_600n * US_PER_S],
  ['month', 2_629_800n * US_PER_S],
  ['w', 7n * 24n * 60n * US_PER_MIN],
  ['d', 24n * 60n * US_PER_MIN],
  ['h', 60n * US_PER_MIN],
  ['min', US_PER_MIN],
  ['s', US_PER_S],
  ['ms', US_PER_MS],
  ['us', 1n],
];

/**
 * Like `systemd-analyze` with an accuracy of one millisecond: `16min 40.410s`, `1.000s`, `10s`, `989us`, `0`. Truncates,
 * never rounds. A caller that must reproduce an unsigned wrap-around passes a bigint.
 */
export function formatSpan(us: number | bigint): string {
  let rest = typeof us === 'bigint' ? us : BigInt(Math.trunc(us));
  if (rest < 0n) return `-${formatSpan(-rest)}`;
  if (rest === 0n) return '0';
  const parts: string[] = [];
  for (const [suffix, unitUs] of UNITS) {
    if (rest === 0n || (parts.length > 0 && rest < US_PER_MS)) break;
    if (rest < unitUs) continue;
    const whole = rest / unitUs;
    const remainder = rest % unitUs;
    if (suffix === 's' && remainder > 0n) {
      parts.push(`${whole}.${String(remainder / US_PER_MS).padStart(3, '0')}s`);
      break;
    }
    parts.push(`${whole}${suffix}`);
    rest = remainder;
  }
  return parts.join(' ');
}

const US_BY_SUFFIX: Readonly<Record<string, number>> = {
  y: 31_557_600e6,
  year: 31_557_600e6,
  years: 31_557_600e6,
  month: 2_629_800e6,
  months: 2_629_800e6,
  M: 2_629_800e6,
  w: 604_800e6,
  week: 604_800e6,
  weeks: 604_800e6,
  d: 86_400e6,
  day: 86_400e6,
  days: 86_400e6,
  h: 3_600e6,
  hr: 3_600e6,
  hour: 3_600e6,
  hours: 3_600e6,
  m: 60e6,
  min: 60e6,
  minute: 60e6,
  minutes: 60e6,
  '': 1e6,
  s: 1e6,
  sec: 1e6,
  second: 1e6,
  seconds: 1e6,
  ms: 1e3,
  msec: 1e3,
  us: 1,
  usec: 1,
  µs: 1,
  μs: 1,
};

const SPAN_PART = /\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-zA-Zµμ]*)/y;

/** Returns microseconds; a number without a unit is seconds. Undefined if the text is not a time span. */
export function parseSpan(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  let totalUs = 0;
  SPAN_PART.lastIndex = 0;
  while (SPAN_PART.lastIndex < trimmed.length) {
    const part = SPAN_PART.exec(trimmed);
    const unitUs = US_BY_SUFFIX[part?.[2] ?? '?'];
    if (!part || unitUs === undefined) return undefined;
    totalUs += Number(part[1]) * unitUs;
  }
  return Number.isFinite(totalUs) ? Math.round(totalUs) : undefined;
}

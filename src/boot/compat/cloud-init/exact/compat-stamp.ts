// boot/compat/cloud-init/exact/compat-stamp.ts: which time does `cloud-init analyze` read from the left part of a log line?
import { asctimeUs, civilSeconds, isoUs, MONTHS, rfc2822Us } from '../read/civil-time.ts';
import { ToolCrash } from './compat-crash.ts';
import { firstWords } from './python-text.ts';

export interface StampContext {
  /** The current year, which the tool assumes for stamps without one. */
  year: number;
  /** Converts a calendar time (in seconds as if UTC) in the zone that the tool assumes to seconds since 1970. */
  secondsOf(civilSeconds: number): number;
}

/** Seconds since 1970, or undefined where the tool skips the entry. */
export function compatStamp(text: string, context: StampContext): number | undefined {
  const fast = text.charCodeAt(19) === COMMA ? asctimeUs(text) : undefined;
  if (fast !== undefined && text[10] === ' ') return inZone(Math.floor(fast / 1e6), fast % 1e6, context);
  const [first] = firstWords(text, 1);
  if (first === undefined) throw new ToolCrash('list index out of range (a line without a time)');
  if (MONTHS.includes(first)) {
    const pattern = text.includes('.') ? JOURNAL : SYSLOG;
    return byPattern(pattern, `${text} ${context.year}`, context);
  }
  if (text.includes(',')) return byPattern(ASCTIME, text, context);
  return byDateCommand(text, context);
}

const COMMA = 44;

// The field grammar of Python's strptime, which accepts single digits and any number of blanks.
const MONTH_NAME = '(?<b>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)';
const DAY = '(?<d>3[0-1]|[1-2]\\d|0[1-9]|[1-9]| [1-9])';
const CLOCK = '(?<H>2[0-3]|[0-1]\\d|\\d):(?<M>[0-5]\\d|\\d):(?<S>6[0-1]|[0-5]\\d|\\d)';
const FRACTION = '(?<f>\\d{1,6})';
const SYSLOG = new RegExp(`^${MONTH_NAME}\\s+${DAY}\\s+${CLOCK}\\s+(?<Y>\\d{4})`, 'i');
const JOURNAL = new RegExp(`^${MONTH_NAME}\\s+${DAY}\\s+${CLOCK}\\.${FRACTION}\\s+(?<Y>\\d{4})`, 'i');
const ASCTIME = new RegExp(`^(?<Y>\\d{4})-(?<m>1[0-2]|0[1-9]|[1-9])-${DAY}\\s+${CLOCK},${FRACTION}`);

function byPattern(pattern: RegExp, text: string, context: StampContext): number | undefined {
  const match = pattern.exec(text);
  if (!match || match[0].length !== text.length) return undefined;
  const { Y, m, b, d, H, M, S, f = '' } = match.groups!;
  const month = m ? Number(m) : MONTHS.findIndex((name) => name.toLowerCase() === b!.toLowerCase()) + 1;
  const micros = Number(f.padEnd(6, '0'));
  const seconds = civilSeconds({
    year: Number(Y),
    month,
    day: Number(d),
    hour: Number(H),
    minute: Number(M),
    second: Number(S),
    micros,
  });
  return seconds === undefined ? undefined : inZone(seconds, micros, context);
}

function inZone(seconds: number, micros: number, context: StampContext): number {
  return (context.secondsOf(seconds) * 1e6 + micros) / 1e6;
}

/** The tool runs date(1) and keeps milliseconds. Supports ISO 8601 and RFC 2822, the only formats in logs. */
function byDateCommand(text: string, context: StampContext): number {
  const iso = isoUs(text);
  const us = iso?.us ?? rfc2822Us(text);
  if (us === undefined) throw new ToolCrash(`date: invalid date '${text}'`);
  const millis = Math.floor(us / 1000);
  if (iso && !iso.zoned) return (context.secondsOf(Math.floor(millis / 1000)) * 1000 + (millis % 1000)) / 1000;
  return millis / 1000;
}

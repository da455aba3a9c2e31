// boot/load/sources/logs/log-year.ts: in which year, and in which time zone, was a log written whose stamps have neither?
// Dates inside the messages of the same log answer this: banners of cloud-init, the hardware clock, audit records.
import { type Input, linesOf } from '../../input.ts';
import { latestYear, parseDateStamp, parseIsoStamp, parseYearlessStamp } from './log-stamp.ts';

export interface DateHint {
  /** A date near the log's stamps. */
  nearUs: number;
  /** What to subtract from the stamps to get UTC; absent if the log does not have both times of one moment. */
  zoneUs?: number;
}

const HALF_YEAR_US = 182 * 86_400e6;

/** Pass this as `nowUs` to the readers of yearless stamps: they then choose the year that is nearest to the date. */
export function notAfter(nearUs: number): number {
  return nearUs + HALF_YEAR_US;
}

/** The stamps are local time, and a line may be received late. */
const SAME_DAY_US = 36 * 3_600e6;
/** Dates of other inputs decide the year only if they are of the same weeks. */
const SAME_WEEKS_US = 60 * 86_400e6;

const hints = new WeakMap<Input, DateHint | 'none' | 'not needed'>();

/** Whether the stamps in this log have no year, and no message in it tells the year. */
export function lacksYear(input: Input, nowUs: number): boolean {
  return scan(input, nowUs) === 'none';
}

/** `datesUs`: dates of other inputs that may be about the same boot. Undefined if the year is unknown, or each stamp has one. */
export function dateHint(input: Input, nowUs: number, datesUs: readonly number[] = []): DateHint | undefined {
  const found = scan(input, nowUs);
  if (typeof found === 'object') return found;
  return found === 'none' ? fromOthers(input, datesUs) : undefined;
}

function scan(input: Input, nowUs: number): DateHint | 'none' | 'not needed' {
  const known = hints.get(input);
  if (known) return known;
  const found = scanLines(input, nowUs);
  hints.set(input, found);
  return found;
}

function scanLines(input: Input, nowUs: number): DateHint | 'none' | 'not needed' {
  let hasYearless = false;
  let weak: DateHint | undefined;
  let strong: DateHint | undefined;
  let searched = 0;
  for (const raw of linesOf(input)) {
    const line = withoutColours(raw);
    if (hasYearless && !HAS_DATE.test(line)) continue;
    const stamp = yearlessStamp(line);
    if (!stamp) continue;
    hasYearless = true;
    const ownUs = ownDate(line);
    const found = ownUs === undefined ? undefined : hintOf(stamp, ownUs, isBanner(line));
    if (found?.zoneUs !== undefined) return found;
    strong ??= found;
    if (strong && ++searched > ZONE_WITHIN) return strong;
    if (strong) continue;
    if (weak || ABOUT_ANOTHER_TIME.test(line)) continue;
    const otherUs = anyDate(line);
    if (otherUs !== undefined && otherUs < nowUs + 86_400e6) weak = hintOf(stamp, otherUs, false);
  }
  return strong ?? weak ?? (hasYearless ? 'none' : 'not needed');
}

const COLOURS = /\x1b\[[0-9;?]*[A-Za-z]/g;

/** Of a terminal. */
export function withoutColours(text: string): string {
  return text.includes('\x1b') ? text.replace(COLOURS, '') : text;
}

type Stamp = (nowUs: number) => number | undefined;

function yearlessStamp(line: string): Stamp | undefined {
  const syslog = SYSLOG.exec(line);
  if (syslog) return (nowUs) => parseYearlessStamp(syslog[1]!, Number(syslog[2]), syslog[3]!, nowUs);
  const klog = KLOG.exec(line);
  return klog ? (nowUs) => latestYear(Number(klog[1]), Number(klog[2]), klog[3]!, nowUs) : undefined;
}

const SYSLOG = /^([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d:\d\d:\d\d(?:\.\d{1,6})?) /;
const KLOG = /^[IWEF](\d\d)(\d\d) (\d\d:\d\d:\d\d\.\d{6}) /;
const HAS_DATE = /\b(?:19[7-9]|20\d)\d\b|audit\(|"ts":1/;
/** A build date, or a date in the future. */
const ABOUT_ANOTHER_TIME =
  /expir|valid|not ?(?:after|before)|deadline|until|renew|next|buil[dt]|version|release|copyright/i;

/** A date in a message counts only if it is of the same day as the line's own stamp. */
function hintOf(stamp: Stamp, dateUs: number, isSameMoment: boolean): DateHint | undefined {
  const stampUs = stamp(notAfter(dateUs));
  if (stampUs === undefined || Math.abs(stampUs - dateUs) > SAME_DAY_US) return undefined;
  const zoneUs = Math.round((stampUs - dateUs) / QUARTER_US) * QUARTER_US;
  const isZone = isSameMoment && Math.abs(stampUs - dateUs - zoneUs) < MAX_LAG_US;
  return { nearUs: dateUs, ...(isZone && { zoneUs }) };
}

const QUARTER_US = 15 * 60e6;
const MAX_LAG_US = 2 * 60e6;

/** Programs print these dates at the moment of the line. */
function ownDate(line: string): number | undefined {
  const rtc = /setting system clock to (\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)/.exec(line)?.[1];
  if (rtc !== undefined) return parseIsoStamp(rtc);
  const audit = /audit\((\d{9,10})\.\d{3}:\d+\)/.exec(line)?.[1];
  const nodeadm = / nodeadm\[\d+\]: \{.{0,40}"ts":(\d{10})\.\d/.exec(line)?.[1];
  const seconds = audit ?? nodeadm;
  return seconds === undefined ? bannerDate(line) : Number(seconds) * 1e6;
}

/** `Cloud-init v. 22.4.2 running 'init' at Mon, 28 Nov 2022 10:00:00 +0000. Up 7.21 seconds.` Always UTC. */
export function bannerDate(message: string): number | undefined {
  const date = BANNER.exec(message)?.[1];
  return date === undefined ? undefined : parseDateStamp(date);
}

const BANNER =
  /Cloud-init v\. \S+ (?:running '[\w:-]+'|finished) at (?:[A-Z][a-z]{2}, )?(\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d)/;
const isBanner = (line: string): boolean => BANNER.test(line);
/** Lines with a date that are read to find the zone as well. */
const ZONE_WITHIN = 10_000;

function anyDate(line: string): number | undefined {
  const iso = /\b\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d/.exec(line)?.[0];
  if (iso !== undefined) return parseIsoStamp(iso);
  const text = /\b(?:\d{1,2} [A-Z][a-z]{2} \d{4} [\d:]{8}|[A-Z][a-z]{2} {1,2}\d{1,2} [\d:]{8} (?:[A-Z]{3,5} )?\d{4})\b/;
  const date = text.exec(line)?.[0];
  return date === undefined ? undefined : parseDateStamp(date.replace(/ [A-Z]{3,5} /, ' '));
}

function fromOthers(input: Input, datesUs: readonly number[]): DateHint | undefined {
  for (const raw of linesOf(input)) {
    const stamp = yearlessStamp(withoutColours(raw));
    if (!stamp) continue;
    let best: { nearUs: number; apartUs: number } | undefined;
    for (const dateUs of datesUs) {
      const apartUs = Math.abs((stamp(notAfter(dateUs)) ?? Number.POSITIVE_INFINITY) - dateUs);
      if (apartUs < (best?.apartUs ?? SAME_WEEKS_US)) best = { nearUs: dateUs, apartUs };
    }
    return best && { nearUs: best.nearUs };
  }
  return undefined;
}

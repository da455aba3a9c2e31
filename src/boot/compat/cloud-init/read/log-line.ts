// boot/compat/cloud-init/read/log-line.ts: parses one line of a cloud-init log in any format of any version.
import { asctimeUs, civilSeconds, isoUs, MONTHS, rfc2822Us } from './civil-time.ts';
import { internText } from './intern-text.ts';

/** The event in a line, with its time in µs since 1970. `isWholeSecond`: the stamp has no fraction. */
export type LogEvent = { isWholeSecond?: true } & (
  | { kind: 'start'; atUs: number; name: string; description: string; level?: string }
  | {
      kind: 'finish';
      atUs: number;
      name: string;
      description: string;
      level?: string;
      result?: string;
      durationUs?: number;
    }
  | { kind: 'banner'; atUs: number; name: string; version: string; clockUs?: number; upUs?: number }
  | { kind: 'finished'; atUs: number; version: string; datasource?: string; clockUs?: number; upUs?: number }
  | { kind: 'took'; atUs: number; what: string; tookUs: number }
);

/** Resolves a stamp to µs since 1970, given the UTC clock in a banner; undefined skips the line. */
export type ResolveStamp = (stamp: LogStamp, kind: LogEvent['kind'], clockUs?: number) => number | undefined;

/** none: the line has no readable time. The reader derives a missing zone or year from other lines. */
export type LogStamp = { isWholeSecond?: true } & (
  | { kind: 'zoned'; us: number }
  | { kind: 'local'; us: number }
  | { kind: 'yearless'; month: number; day: number; dayUs: number }
  | { kind: 'none' }
);

export const MARKERS = ['start: ', 'finish: ', 'Cloud-init v. ', ' took '];

export function parseLogLine(text: string, when: ResolveStamp): LogEvent | undefined {
  const event = eventWords(text) ?? bareEventWords(text);
  if (event) return eventLine(text, event, when);
  const banner = BANNER.exec(text);
  return banner ? bannerLine(text, banner, when) : tookLine(text, when);
}

/** True if the line looks like an event; if it cannot be parsed, it is damaged. */
export function isEventLike(text: string): boolean {
  return text.includes(START) || text.includes(FINISH);
}

interface EventWords {
  kind: 'start' | 'finish';
  level: string;
  name: string;
  rest: string;
}

/** `file.py[LEVEL]: start: NAME: REST`. No regular expression, for speed: nearly every line comes through here. */
function eventWords(text: string): EventWords | undefined {
  let at = text.indexOf(START);
  const kind = at >= 0 ? 'start' : 'finish';
  if (at < 0) at = text.indexOf(FINISH);
  if (at < 0) return undefined;
  const nameAt = at + (kind === 'start' ? START.length : FINISH.length);
  const blank = text.indexOf(' ', nameAt);
  const nameEnd = (blank < 0 ? text.length : blank) - 1;
  if (nameEnd <= nameAt || text[nameEnd] !== ':') return undefined;
  const level = text.slice(text.lastIndexOf('[', at) + 1, at);
  return { kind, level, name: text.slice(nameAt, nameEnd), rest: text.slice(nameEnd + 1) };
}

const START = ']: start: ';
const FINISH = ']: finish: ';

function bareEventWords(text: string): EventWords | undefined {
  const match = BARE_EVENT.exec(text);
  if (!match) return undefined;
  return { kind: match[1] === 'start' ? 'start' : 'finish', level: '', name: match[2]!, rest: match[3] ?? '' };
}

/** Log formats are configurable: without `file.py[LEVEL]:`, accept only names that cloud-init itself reports. */
const BARE_EVENT =
  /(?:^|[\s\]:>])(start|finish): ((?:init-local|init-network|modules-(?:init|config|final)|single|azure-ds)(?:\/[^\s:]+)?):(?: (.*)|)$/;
const BANNER = /Cloud-init v\. (\S+) (?:running '?([^' ]+)'? at|finished at) (.*)$/;
const DURATION = / \(duration: (\d+(?:\.\d+)?)s\)$/;

function eventLine(text: string, { kind, level, name, rest }: EventWords, when: ResolveStamp): LogEvent | undefined {
  const stamp = stampOf(text);
  const atUs = when(stamp, kind);
  if (atUs === undefined) return undefined;
  const duration = rest.endsWith('s)') ? DURATION.exec(rest) : null;
  const message = (duration ? rest.slice(0, duration.index) : rest).trim();
  if (kind === 'start') {
    const start: LogEvent = { kind, atUs, name: internText(name), description: internText(message) };
    if (level) start.level = level;
    if (stamp.isWholeSecond) start.isWholeSecond = true;
    return start;
  }
  const result = RESULTS.find((word) => message === word || (message.startsWith(word) && message[word.length] === ':'));
  const description = internText(result ? message.slice(result.length + 1).trim() : message);
  const finish: LogEvent = { kind, atUs, name: internText(name), description };
  if (level) finish.level = level;
  if (result) finish.result = result;
  if (duration) finish.durationUs = secondsToUs(duration[1]!);
  if (stamp.isWholeSecond) finish.isWholeSecond = true;
  return finish;
}

const RESULTS = ['SUCCESS', 'WARN', 'FAIL'];

/** `… at Fri, 02 Sep 2016 19:28:07 +0000. Up 1.0 seconds.`, or with the datasource between the two. */
function bannerLine(text: string, match: RegExpExecArray, when: ResolveStamp): LogEvent | undefined {
  const [, version, stage, rest = ''] = match as unknown as [string, string, string | undefined, string?];
  const clockUs = rfc2822Us(/^[^.]*/.exec(rest)![0].trim());
  const stamp = stampOf(text);
  const atUs = when(stamp, stage === undefined ? 'finished' : 'banner', clockUs);
  if (atUs === undefined) return undefined;
  const up = / Up (\d+(?:\.\d+)?) seconds/.exec(rest);
  const facts = {
    atUs,
    version,
    ...(clockUs === undefined ? {} : { clockUs }),
    ...(up ? { upUs: secondsToUs(up[1]!) } : {}),
    ...(stamp.isWholeSecond && { isWholeSecond: true as const }),
  };
  if (stage !== undefined) return { kind: 'banner', name: stageName(stage), ...facts };
  const datasource = /Datasource (DataSource\w+)/.exec(rest)?.[1];
  return { kind: 'finished', ...facts, ...(datasource ? { datasource } : {}) };
}

/** `file.py[LEVEL]: WHAT took N.NNN seconds (N.NN)`. Uses indexOf: an unanchored pattern is slow on a long line. */
function tookLine(text: string, when: ResolveStamp): LogEvent | undefined {
  const took = text.lastIndexOf(TOOK);
  const amount = took < 0 ? null : TOOK_TIMES.exec(text.slice(took + TOOK.length, took + 60));
  const level = amount ? levelEnd(text) : -1;
  if (!amount || level < 0 || level > took) return undefined;
  const atUs = when(stampOf(text), 'took');
  if (atUs === undefined) return undefined;
  const [wallUs, uptimeUs] = [secondsToUs(amount[1]!), secondsToUs(amount[2] ?? amount[1]!)];
  // The first one is wrong if the clock was set meanwhile; the second one has only hundredths.
  const tookUs = Math.abs(wallUs - uptimeUs) > CLOCK_SET_US ? uptimeUs : wallUs;
  return { kind: 'took', atUs, what: internText(text.slice(level + 3, took)), tookUs };
}

/** The end of `[LEVEL]: `. In a line from syslog, `cloud-init[PID]: ` comes first. */
function levelEnd(text: string): number {
  const first = text.indexOf(']: ');
  const isPid = first > 0 && /^\d+$/.test(text.slice(text.lastIndexOf('[', first) + 1, first));
  const second = isPid ? text.indexOf(']: ', first + 1) : -1;
  return second < 0 ? first : second;
}

const TOOK = ' took ';
const TOOK_TIMES = /^(\d+(?:\.\d+)?) seconds(?: \((\d+\.\d+)\))?/;
const CLOCK_SET_US = 20_000;

function stageName(written: string): string {
  return written === 'init' ? 'init-network' : written.replaceAll(':', '-');
}

function secondsToUs(text: string): number {
  return Math.round(Number(text) * 1e6);
}

const WHOLE_SECOND = { isWholeSecond: true } as const;
const ISO_STAMP = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?[+-]\d\d:?\d\d|Z| UTC| GMT)?/;
const SYSLOG_STAMP = /([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.(\d+))?/;
/** A stamp is near the start of a line, after at most a priority or a bracket; a later one belongs to the message. */
const STAMP_WITHIN = 80;

export function stampOf(text: string): LogStamp {
  if (text.charCodeAt(23) === 0x20) {
    const us = asctimeUs(text, 23);
    if (us !== undefined) return { kind: 'local', us };
  }
  const front = text.slice(0, STAMP_WITHIN);
  const iso = ISO_STAMP.exec(front);
  const syslog = SYSLOG_STAMP.exec(front);
  if (iso && (!syslog || iso.index < syslog.index)) {
    const read = isoUs(iso[0]);
    if (!read) return { kind: 'none' };
    return { kind: read.zoned ? 'zoned' : 'local', us: read.us, ...(!/[.,]\d/.test(iso[0]) && WHOLE_SECOND) };
  }
  const month = syslog ? MONTHS.indexOf(syslog[1]!) + 1 : 0;
  if (!syslog || month === 0) return { kind: 'none' };
  const [, , day, hour, minute, second, fraction = ''] = syslog;
  const micros = Number(fraction.slice(0, 6).padEnd(6, '0'));
  const time = { hour: Number(hour), minute: Number(minute), second: Number(second), micros };
  // 2000 was a leap year, so February 29th is accepted.
  if (civilSeconds({ year: 2000, month, day: Number(day), ...time }) === undefined) return { kind: 'none' };
  return {
    kind: 'yearless',
    month,
    day: Number(day),
    dayUs: (time.hour * 3600 + time.minute * 60 + time.second) * 1e6 + micros,
    ...(fraction === '' && WHOLE_SECOND),
  };
}

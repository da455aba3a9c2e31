// boot/compat/cloud-init/read/civil-time.ts: converts calendar times to seconds since 1970 without Date, which is slow for every line.

export interface CivilTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  micros: number;
}

/** Seconds since 1970 of a calendar time in UTC; undefined for an invalid time (February 30th). */
export function civilSeconds({ year, month, day, hour, minute, second }: CivilTime): number | undefined {
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
}

export function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function daysIn(year: number, month: number): number {
  return month === 2 && isLeap(year) ? 29 : DAYS[month - 1]!;
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Years start in March, so that the leap day comes last and one formula fits all months. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return (
    era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
  );
}

export const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The first `length` characters parsed as exactly `YYYY-MM-DD HH:MM:SS,mmm` (also with `.` or `T`), in µs; else undefined. */
export function asctimeUs(text: string, length = text.length): number | undefined {
  if (length < 21 || length > 26 || text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH) return undefined;
  if (text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON) return undefined;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  const hour = digits(text, 11, 13);
  const minute = digits(text, 14, 16);
  const second = digits(text, 17, 19);
  const fraction = digits(text, 20, length);
  if ((year | month | day | hour | minute | second | fraction) < 0) return undefined;
  const micros = fraction * 10 ** (26 - length);
  const seconds = civilSeconds({ year, month, day, hour, minute, second, micros });
  return seconds === undefined ? undefined : seconds * 1e6 + micros;
}

const DASH = 45;
const COLON = 58;

/** -1 if any character is not a digit. */
function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

const ISO =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ]\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?)?\s*(Z|z|UTC|GMT|[+-]\d{1,2}(?::?\d{2})?)?$/;

/**
 * An ISO 8601 stamp with `T` or a blank, with or without a fraction and an offset. `zoned`: the stamp has a zone; without
 * one, the calendar time is read as UTC.
 */
export function isoUs(text: string): { us: number; zoned: boolean } | undefined {
  const match = ISO.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = match;
  const micros = Number(fraction.slice(0, 6).padEnd(6, '0'));
  const seconds = civilSeconds({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    micros,
  });
  if (seconds === undefined) return undefined;
  return { us: (seconds - offsetSeconds(zone)) * 1e6 + micros, zoned: zone !== undefined };
}

function offsetSeconds(zone: string | undefined): number {
  if (zone === undefined || /^[a-z]/i.test(zone)) return 0;
  const digitsOnly = zone.slice(1).replace(':', '');
  const [hours, minutes] = digitsOnly.length <= 2 ? [digitsOnly, '0'] : [digitsOnly.slice(0, -2), digitsOnly.slice(-2)];
  return (zone[0] === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
}

const RFC2822 = /^(?:[A-Z][a-z]{2}, )?(\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) ([+-]\d{4}|UTC|GMT)$/;

/** The stamp inside a banner: `Fri, 02 Sep 2016 19:28:07 +0000`. */
export function rfc2822Us(text: string): number | undefined {
  const match = RFC2822.exec(text);
  if (!match) return undefined;
  const [, day, month, year, hour, minute, second, zone] = match;
  const seconds = civilSeconds({
    year: Number(year),
    month: MONTHS.indexOf(month!) + 1,
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    micros: 0,
  });
  return seconds === undefined ? undefined : (seconds - offsetSeconds(zone)) * 1e6;
}

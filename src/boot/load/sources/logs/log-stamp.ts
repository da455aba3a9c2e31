// boot/load/sources/logs/log-stamp.ts: which instant (µs since 1970 UTC) is a date in a log? undefined = not a date, or ambiguous.

/** `2026-11-15T21:08:50.123456Z`; also with a blank, `,`, an offset, `UTC`, or no zone (read as UTC). */
export function parseIsoStamp(text: string): number | undefined {
  const m = ISO.exec(text.trim());
  if (!m) return undefined;
  const us = utcUs(Number(m[1]), Number(m[2]), Number(m[3]), m[4]!, m[5]);
  if (us === undefined || !m[6]) return us;
  const offsetMin = Number(m[7]) * 60 + Number(m[8] ?? 0);
  return us - (m[6] === '-' ? -1 : 1) * offsetMin * 60e6;
}

const ISO =
  /^(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\s*(?:Z|UTC|GMT|(?:([+-])(\d\d):?(\d\d)?))?$/i;

/** `Nov 15 21:08:50.123456`, in the latest year that is not more than a day ahead of now. Read as UTC. */
export function parseYearlessStamp(month: string, day: number, time: string, nowUs: number): number | undefined {
  const monthNumber = MONTHS.get(month.toLowerCase());
  return monthNumber === undefined ? undefined : latestYear(monthNumber, day, time, nowUs);
}

/** klog's `1115 21:08:50.123456`, by month and day number. */
export function latestYear(month: number, day: number, time: string, nowUs: number): number | undefined {
  const [clock, fraction] = time.split('.');
  const thisYear = new Date(Math.min(Math.max(nowUs / 1000, 0), 8e15)).getUTCFullYear();
  // Leap years are four years apart, sometimes eight.
  for (let year = thisYear + 1; year > thisYear - 9; year--) {
    const us = utcUs(year, month, day, clock!, fraction);
    if (us !== undefined && us <= nowUs + 86_400e6) return us;
  }
  return undefined;
}

/** The output of `date`: `Sun Nov 15 21:08:50 UTC 2026`, `Sun Nov 15 09:08:50 PM UTC 2026`, `Sun 15 Nov 2026 21:08:50 UTC`. */
export function parseDateStamp(text: string): number | undefined {
  const words = text.trim().slice(0, 100).split(/\s+/);
  const month = words.map((word) => MONTHS.get(word.slice(0, 3).toLowerCase())).find((number) => number !== undefined);
  const day = words.find((word) => /^\d{1,2}$/.test(word));
  const year = words.find((word) => /^\d{4}$/.test(word));
  const clock = words.find((word) => /^\d\d:\d\d:\d\d(?:\.\d{1,9})?$/.test(word));
  // Accept only UTC: other zone abbreviations are ambiguous.
  const zone = words.find((word) => /^[A-Z]{3,5}$/.test(word));
  if (month === undefined || !day || !year || !clock || (zone && !/^(?:UTC|GMT)$/.test(zone))) return undefined;
  const [time, fraction] = clock.split('.');
  const half = words.find((word) => /^(?:AM|PM)$/i.test(word))?.toUpperCase();
  const hour = Number(time!.slice(0, 2));
  const hour24 = half === undefined ? hour : (hour % 12) + (half === 'PM' ? 12 : 0);
  return utcUs(Number(year), month, Number(day), String(hour24).padStart(2, '0') + time!.slice(2), fraction);
}

const MONTHS = new Map(
  ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'].map((name, i) => [name, i + 1]),
);

function utcUs(year: number, month: number, day: number, time: string, fraction = ''): number | undefined {
  const [hour, minute, second] = time.split(':').map(Number) as [number, number, number];
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 60) return undefined;
  // Date.UTC turns February 30th into March; reject days that do not exist.
  if (new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day) return undefined;
  return Date.UTC(year, month - 1, day, hour, minute, second) * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
}

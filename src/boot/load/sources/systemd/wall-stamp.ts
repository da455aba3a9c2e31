// boot/load/sources/systemd/wall-stamp.ts: which instant is a wall-clock stamp of `systemctl show`, and how exact is it?

export type WallStamp = { wallUs: number; errorUs: number } | { untrustedZone: string };

const STAMP =
  /^(?:[A-Z][a-z]{2} )?(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))? ?(Z|[A-Za-z][\w/+-]*|[+-]\d\d(?::?\d\d)?)?$/;
const EPOCH = /^@(\d{1,12})(?:\.(\d{1,9}))?$/;
const OFFSET = /^([+-])(\d\d):?(\d\d)?$/;

/**
 * `Sun 2026-11-15 21:07:58 UTC`, the same with a fraction (`--timestamp=us+utc`), or `@1700000000` (`--timestamp=unix`).
 * Accepts only UTC and numeric offsets: a local abbreviation is ambiguous. undefined = not a stamp.
 */
export function parseWallStamp(text: string): WallStamp | undefined {
  const epoch = EPOCH.exec(text);
  if (epoch) return withFraction(Number(epoch[1]) * 1e6, epoch[2]);
  const match = STAMP.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction, zone] = match;
  const offsetUs = zoneOffsetUs(zone);
  if (offsetUs === undefined) return { untrustedZone: zone ?? 'unknown' };
  const wallMs = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  return withFraction(wallMs * 1000 - offsetUs, fraction);
}

/** systemctl truncates digits, so the instant is up to one unit of the last digit after the stamp. */
function withFraction(wholeUs: number, fraction = ''): WallStamp {
  const digits = fraction.slice(0, 6);
  return { wallUs: wholeUs + Number(digits.padEnd(6, '0')), errorUs: 10 ** (6 - digits.length) };
}

function zoneOffsetUs(zone: string | undefined): number | undefined {
  if (zone === 'UTC' || zone === 'GMT' || zone === 'Z') return 0;
  const offset = OFFSET.exec(zone ?? '');
  if (!offset) return undefined;
  const minutes = Number(offset[2]) * 60 + Number(offset[3] ?? 0);
  return (offset[1] === '-' ? -minutes : minutes) * 60e6;
}

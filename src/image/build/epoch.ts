// image/build/epoch.ts: which time do files on an image have? A fixed one, so that the bytes do not depend on the clock.
import type { ImageLock } from '../lock/lock.ts';

/** Midnight UTC of the day of the package lists. */
export function epochOf({ date }: Pick<ImageLock['base'], 'date'>): number {
  const [, year, month, day] = /^(\d{4})\.(\d{1,2})(\d{2})$/.exec(date) ?? [];
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day));
  if (Number.isNaN(ms)) throw new RangeError(`the base date ${date} is not in the form 2026.1116`);
  return ms / 1000;
}

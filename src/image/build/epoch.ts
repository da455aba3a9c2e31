// image/build/epoch.ts: which second is it on an image? Every file of a build has this time, so that its bytes do not depend on the clock.
import type { ImageLock } from '../lock/lock.ts';

/** Midnight of the day of the package list. */
export function epochOf({ date }: Pick<ImageLock['base'], 'date'>): number {
  const [, year, month, day] = /^(\d{4})\.(\d{1,2})(\d{2})$/.exec(date) ?? [];
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day));
  if (Number.isNaN(ms)) throw new RangeError(`the base's date ${date} is not as in 2026.1116`);
  return ms / 1000;
}

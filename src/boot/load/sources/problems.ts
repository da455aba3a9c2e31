// boot/load/sources/problems.ts: collects parse problems: one warning per kind of problem, with the count and the first place.
import type { Note } from '../../model/record.ts';

export class Problems {
  readonly #seen = new Map<string, { first: number; count: number }>();

  /** `what` completes "line 7 …": `is not JSON`. */
  add(what: string, place: number): void {
    const seen = this.#seen.get(what);
    if (seen) seen.count++;
    else this.#seen.set(what, { first: place, count: 1 });
  }

  /** `placeName` is the unit of `place`: `line`, `record`, `entry`. */
  notes(input: string, placeName: string): Note[] {
    return [...this.#seen].map(([what, { first, count }]) => ({
      level: 'warning' as const,
      text: `${input}: ${placeName} ${first} ${what}${count > 1 ? ` (and ${count - 1} more like it)` : ''}`,
    }));
  }
}

// standby/arrivals/arrivals.ts: when were nodes asked for, and what could not be used of the input?

export interface Arrivals {
  /** One for each node; nodes asked for at once have the same time. */
  atMs: number[];
  /** What the times are, or what was left out; shown to the user. */
  notes: string[];
}

export interface ArrivalProblem {
  /** `line 3`, `items[4].count`. */
  where: string;
  message: string;
}

/** Nodes of one line or one item. */
export const MOST_AT_ONCE = 10_000;

/** As in RFC 3339, or without a zone, which is then UTC. Microseconds are cut off, as Kubernetes' MicroTime has them. */
export function arrivalMs(text: string): number | undefined {
  const form = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/i.exec(text);
  if (!form) return undefined;
  const [, day, time, fraction = '', zone = 'Z'] = form;
  const ms = Date.parse(`${day}T${time}${fraction.slice(0, 4)}${zone.toUpperCase()}`);
  return Number.isNaN(ms) ? undefined : ms;
}

export function countOf(text: string): number | undefined {
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= MOST_AT_ONCE ? count : undefined;
}

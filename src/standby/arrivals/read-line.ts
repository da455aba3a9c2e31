// standby/arrivals/read-line.ts: which arrivals does one line of a text, CSV or JSON-lines file name?
import { isObject, type Json } from '../../schema/json.ts';
import { arrivalMs, countOf } from './arrivals.ts';

export type LineReading = { atMs: number; count: number } | { problem: string } | undefined;

/** `2026-11-16T02:00:00Z`, the same with `,3`, or a JSON object with `time` and `count`. Undefined: an empty line, a comment or the header. */
export function readLine(line: string, isFirst: boolean): LineReading {
  const text = line.trim();
  if (text === '' || text.startsWith('#')) return undefined;
  if (text.startsWith('{')) return readObject(text);
  const [time = '', count, ...more] = text.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  const atMs = arrivalMs(time);
  if (atMs === undefined) {
    if (isFirst && /^[a-z][a-z _]*$/i.test(time)) return undefined;
    return { problem: 'expected a time such as 2026-11-16T02:00:00Z, and optionally a comma and a number of nodes' };
  }
  if (more.length > 0) return { problem: `expected a time and a number of nodes, got ${more.length + 2} columns` };
  return counted(atMs, count === undefined || count === '' ? 1 : countOf(count));
}

function readObject(text: string): LineReading {
  try {
    return readItem(JSON.parse(text) as Json);
  } catch {
    return { problem: 'is not valid JSON' };
  }
}

/** A time, or an object with `time` and optionally `count`. */
export function readItem(item: Json): LineReading {
  const { time, count = 1 } = isObject(item) ? item : { time: item };
  const atMs = typeof time === 'string' ? arrivalMs(time) : undefined;
  if (atMs === undefined) return { problem: 'expected a time such as 2026-11-16T02:00:00Z' };
  return counted(atMs, countOf(String(count)));
}

const counted = (atMs: number, count: number | undefined): LineReading =>
  count === undefined ? { problem: 'the number of nodes is not a whole number from 1 to 10000' } : { atMs, count };

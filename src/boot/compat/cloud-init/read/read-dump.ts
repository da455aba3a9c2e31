// boot/compat/cloud-init/read/read-dump.ts: reads the events in the JSON of `cloud-init analyze dump`.
import { type Input, inputText } from '../../../load/input.ts';
import type { Note } from '../../../model/record.ts';
import type { LogEvent } from './log-line.ts';
import type { ParsedLog } from './read-log.ts';

export function readDump(input: Input): ParsedLog {
  const notes: Note[] = [];
  const listed = listOf(input, notes);
  const events: LogEvent[] = [];
  const rejected: number[] = [];
  for (let i = 0; i < listed.length; i++) {
    const event = eventOf(listed[i]);
    if (event) events.push(event);
    else rejected.push(i + 1);
  }
  if (rejected.length > 0) {
    const named = rejected.slice(0, 3).join(', ');
    const more = rejected.length > 3 ? ` and ${rejected.length - 3} more` : '';
    notes.push({ level: 'warning', text: `${input.name}: entry ${named}${more} is not an event; skipped` });
  }
  return { events, notes };
}

function listOf(input: Input, notes: Note[]): unknown[] {
  const damaged = (why: string): unknown[] => {
    notes.push({ level: 'warning', text: `${input.name}: ${why}` });
    return [];
  };
  let text: string;
  try {
    text = inputText(input);
  } catch {
    return damaged('too large to read as one JSON document');
  }
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : damaged('not a list of events');
  } catch {
    return wholeEntries(text, damaged);
  }
}

/** For a truncated dump: the entries are flat objects, so the complete ones can be parsed one by one. */
function wholeEntries(text: string, damaged: (why: string) => unknown[]): unknown[] {
  const entries: unknown[] = [];
  for (const [entry] of text.matchAll(/\{[^{}]*\}/g)) {
    try {
      entries.push(JSON.parse(entry));
    } catch {
      // counted as damaged below
    }
  }
  const line = text.split('\n').length;
  damaged(`damaged JSON of ${line} lines; ${entries.length} complete events were read from it`);
  return entries;
}

function eventOf(value: unknown): LogEvent | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, event_type, timestamp, description = '', result, level } = value as Record<string, unknown>;
  const atUs = Math.round(Number(timestamp) * 1e6);
  if (typeof name !== 'string' || name === '' || typeof description !== 'string' || timestamp === null)
    return undefined;
  if (!Number.isSafeInteger(atUs) || (event_type !== 'start' && event_type !== 'finish')) return undefined;
  const known = typeof level === 'string' ? { level } : {};
  if (event_type === 'start') return { kind: 'start', atUs, name, description, ...known };
  return { kind: 'finish', atUs, name, description, ...known, ...(typeof result === 'string' ? { result } : {}) };
}

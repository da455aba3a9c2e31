// boot/compat/cloud-init/read/read-log.ts: reads the events in a cloud-init log, and warns about lines it could not parse.
import type { Input } from '../../../load/input.ts';
import type { Note } from '../../../model/record.ts';
import { isEventLike, type LogEvent, MARKERS, parseLogLine, type ResolveStamp } from './log-line.ts';
import { blocksOf, lineNumberAt, visitLines } from './scan.ts';
import { wallTime } from './wall-time.ts';

export interface ParsedLog {
  events: LogEvent[];
  notes: Note[];
}

/** A warning names this many lines and counts the others. */
const NAMED_LINES = 3;

export function readLog(input: Input, nowUs: number): ParsedLog {
  const { events, notes } = streamLog(input, nowUs);
  return { events: [...events], notes: notes() };
}

export interface LogStream {
  /** To be read once, to its end. */
  events: Generator<LogEvent>;
  /** After the last event. */
  notes(): Note[];
}

/** Keeps no event, so that a log of gigabytes needs little memory; only those before the first banner wait for its zone and year. */
export function streamLog(input: Input, nowUs: number): LogStream {
  const clock = wallTime(nowUs);
  const unstamped: number[] = [];
  const damaged: number[] = [];
  let hasBanner = false;

  function* events(): Generator<LogEvent> {
    let pending: LogEvent[] = [];
    let beforeFirstBanner: number | undefined;
    let lineOffset = 0;
    const when: ResolveStamp = (stamp, kind, clockUs) => {
      if (clockUs !== undefined) beforeFirstBanner ??= pending.length;
      if (stamp.kind === 'none' && kind !== 'took') unstamped.push(lineOffset);
      return clock.of(stamp, clockUs);
    };
    for (const block of blocksOf(input)) {
      visitLines(block, MARKERS, (text, offset) => {
        lineOffset = offset;
        const event = parseLogLine(text, when);
        if (event) pending.push(event);
        else if (isEventLike(text) && unstamped.at(-1) !== offset) damaged.push(offset);
      });
      if (beforeFirstBanner === undefined) continue;
      if (!hasBanner) shift(pending.slice(0, beforeFirstBanner), clock.lateShiftUs());
      hasBanner = true;
      yield* pending;
      pending = [];
    }
    yield* pending;
  }

  function notes(): Note[] {
    const found: Note[] = [];
    const year = clock.assumedYear();
    if (year !== undefined) {
      const text = `${input.name}: the stamps have no year, and no banner names it: the year is unknown and read as ${year}`;
      found.push({ level: 'warning', text });
    }
    for (const zoneUs of clock.zonesUs()) {
      found.push({
        level: 'info',
        text: `${input.name}: stamps are in local time (${hours(zoneUs)}), according to the UTC time in its banners`,
      });
    }
    if (unstamped.length > 0) found.push(skippedNote(input, unstamped, 'an event without a readable time'));
    if (damaged.length > 0) found.push(skippedNote(input, damaged, 'a truncated or damaged event'));
    return found;
  }

  return { events: events(), notes };
}

function shift(events: readonly LogEvent[], byUs: number): void {
  if (byUs !== 0) for (const event of events) event.atUs += byUs;
}

function hours(us: number): string {
  const minutes = Math.abs(us) / 60e6;
  return `UTC${us < 0 ? '-' : '+'}${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

function skippedNote(input: Input, offsets: readonly number[], what: string): Note {
  const named = offsets.slice(0, NAMED_LINES).map((offset) => lineNumberAt(input, offset));
  const more = offsets.length - named.length;
  const lines = `line ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return { level: 'warning', text: `${input.name}: ${lines}: skipped ${what}` };
}

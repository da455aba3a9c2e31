// boot/compat/cloud-init/exact/compat-records.ts: what does `cloud-init analyze show` (or blame, dump) print for these events?
import { ToolCrash } from './compat-crash.ts';
import type { CompatEvent } from './compat-events.ts';
import type { CompatVersion } from './compat-version.ts';
import { formatter } from './python-format.ts';
import { byCodePoint, dumpsJson, type PythonValue } from './python-json.ts';
import { pythonFixed } from './python-numbers.ts';

export const DEFAULT_FORMAT = '%I%D @%Es +%ds';

export function compatShow(events: PythonValue, format: string, version: CompatVersion): string {
  const records = bootRecords(checked(events), format, version);
  const text = records.map(
    (record, i) =>
      `${heading(i)}The total time elapsed since completing an event is printed after the "@" character.\n` +
      `The time the event takes is printed after the "+" character.\n\n${record.join('\n')}\n`,
  );
  return `${text.join('')}${records.length} boot records analyzed\n`;
}

export function compatCloudInitBlame(events: PythonValue, version: CompatVersion): string {
  const records = bootRecords(checked(events), '     %ds (%n)', version);
  const text = records.map((record, i) => {
    const timed = record.filter((line) => /^\s+\d+\.\d+/.test(line)); // this also drops negative deltas and stages
    return `${heading(i)}${timed.sort((a, b) => byCodePoint(b, a)).join('\n')}\n\n`;
  });
  return `${text.join('')}${records.length} boot records analyzed\n`;
}

export function compatDump(events: PythonValue): string {
  return `${dumpsJson(events)}\n`;
}

function heading(index: number): string {
  return `-- Boot Record ${String(index + 1).padStart(2, '0')} --\n`;
}

/** The tool sorts the events by time, although it uses only the length of the result, so it fails on mixed types. */
function checked(events: PythonValue): CompatEvent[] {
  if (!Array.isArray(events)) throw new ToolCrash('TypeError: the JSON is not a list of events');
  let kind: string | undefined;
  for (const event of events) {
    if (event === null || typeof event !== 'object' || Array.isArray(event) || !Object.hasOwn(event, 'timestamp')) {
      throw new ToolCrash("KeyError: 'timestamp' (an entry of the JSON is not an event)");
    }
    const own = typeof event.timestamp === 'string' ? 'text' : isNumeric(event.timestamp) ? 'number' : 'other';
    if ((kind !== undefined && own !== kind) || (own === 'other' && events.length > 1)) {
      throw new ToolCrash("TypeError: '<' not supported between these timestamps");
    }
    kind = own;
  }
  return events as CompatEvent[];
}

function isNumeric(value: PythonValue | undefined): boolean {
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
}

function bootRecords(events: CompatEvent[], format: string, version: CompatVersion): string[][] {
  const leafLine = formatter(templateOf(format));
  const boots: string[][] = [];
  const open: CompatEvent[] = [];
  let lines: string[] = [];
  let zeroUs: number | undefined;
  let total = 0;
  let stagesSeen = new Set<PythonValue | undefined>();
  for (let i = 0; i < events.length; i++) {
    const event = events[i]!;
    const next = events[i + 1];
    if (event.event_type === 'start') {
      const closes = version.splitsOnRepeatedStage
        ? stagesSeen.has(event.name)
        : lines.length > 0 && event.name === 'init-local';
      if (closes) {
        lines.push(totalLine(total));
        boots.push(lines);
        lines = [];
        zeroUs = undefined;
        total = 0;
      }
      if (zeroUs === undefined) {
        stagesSeen = new Set();
        zeroUs = instantUs(event);
        if (typeof event.name !== 'string') throw new ToolCrash('AttributeError: an event without a name');
      }
      if (event.name === next?.name) {
        if (next?.event_type === 'finish') lines.push(leafLine(record(zeroUs, event, next)));
      } else {
        lines.push(`Starting stage: ${String(event.name ?? 'None')}`);
        open.push(event);
        stagesSeen.add(event.name);
      }
    } else {
      const start = open.pop();
      if (start === undefined) throw new ToolCrash('IndexError: pop from empty list (a finish outside of any stage)');
      if (start.name !== event.name) {
        open.push(start);
        continue;
      }
      if (zeroUs === undefined) continue;
      const finished = record(zeroUs, start, event);
      lines.push(`${finishedLine(finished)}${version.endsStageWithBlank ? ' ' : ''}\n`);
      total += finished.delta as number;
    }
  }
  lines.push(totalLine(total));
  boots.push(lines);
  return boots;
}

const finishedLine = formatter('Finished stage: ({name}) {delta:08.5f} seconds');

function totalLine(total: number): string {
  return `Total Time: ${pythonFixed(total, 5)} seconds\n`;
}

function record(zeroUs: number, start: CompatEvent, finish: CompatEvent): Record<string, PythonValue> {
  if (typeof start.name !== 'string') throw new ToolCrash('AttributeError: an event without a name');
  const startUs = instantUs(start);
  const depth = start.name.split('/').length - 1;
  return {
    ...finish,
    delta: (instantUs(finish) - startUs) / 1e6,
    elapsed: (startUs - zeroUs) / 1e6,
    indent: `|${' '.repeat(Math.max(0, depth - 1))}\`->`,
  };
}

/** Rounds like Python's datetime: to whole microseconds, exact halves to even. */
function instantUs(event: CompatEvent): number {
  const seconds = floatOf(event.timestamp);
  if (!(seconds >= -62_135_596_800 && seconds < 253_402_300_800))
    throw new ToolCrash('ValueError: year is out of range');
  const whole = Math.trunc(seconds);
  return whole * 1e6 + roundHalfEven((seconds - whole) * 1e6);
}

function floatOf(value: PythonValue | undefined): number {
  if (typeof value === 'string') {
    const text = value.trim().replace(/(?<=\d)_(?=\d)/g, '');
    if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  } else if (isNumeric(value)) return Number(value);
  throw new ToolCrash(`could not convert the timestamp ${String(value)} to float`);
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

const CODES: readonly (readonly [code: string, field: string])[] = [
  ['%d', '{delta:08.5f}'],
  ['%D', '{description}'],
  ['%E', '{elapsed:08.5f}'],
  ['%e', '{event_type}'],
  ['%I', '{indent}'],
  ['%l', '{level}'],
  ['%n', '{name}'],
  ['%o', '{origin}'],
  ['%r', '{result}'],
  ['%t', '{timestamp:08.5f}'],
  ['%T', '{total_time}'],
];

function templateOf(format: string): string {
  return CODES.reduce((template, [code, field]) => template.replaceAll(code, field), format);
}

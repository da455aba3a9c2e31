// boot/load/sources/logs/journal-export.ts: reads `journalctl -o export`: text fields as `NAME=text`, binary ones as `NAME`, length, bytes.

import type { Evidence } from '../../../model/evidence.ts';
import { headText, type Input } from '../../input.ts';
import { Problems } from '../problems.ts';
import type { EvidenceSource } from '../source.ts';
import { JOURNAL_FIELDS, type JournalEntry, type JournalField, readJournal } from './journal-entries.ts';

export const journalExportSource = {
  kind: 'journal-export',
  title: 'journal export (journalctl -o export)',
  recognise,
  parse,
} satisfies EvidenceSource;

function recognise(input: Input): number {
  const head = headText(input);
  if (!/^__(?:REALTIME|MONOTONIC)_TIMESTAMP=\d+\r?$/m.test(head)) return 0;
  return /^\s*__?[A-Z]/.test(head) ? 0.95 : 0.5;
}

function parse(input: Input): Evidence[] {
  const problems = new Problems();
  const boots = readJournal(entriesOf(input, problems), { kind: 'journal-export', input: input.name, problems });
  // An unreadable entry could belong to any of the boots, so every boot gets the warnings.
  const notes = problems.notes(input.name, 'entry');
  return boots.map((boot) => ({ ...boot, notes: [...boot.notes, ...notes] }));
}

const WANTED: ReadonlySet<string> = new Set(JOURNAL_FIELDS);
const NAME = /^[A-Z_][A-Z0-9_]{0,63}$/;
/** A larger field (a core dump) is skipped while streaming, never held in memory. */
const MAX_FIELD_BYTES = 16 << 20;
/** A larger length means a damaged field: trusting it would skip the rest of the input. */
const MAX_LENGTH = 1 << 30;
const NEWLINE = 0x0a;
const EQUALS = 0x3d;

/** Holds bytes only until their field is complete. */
function* entriesOf(input: Input, problems: Problems): Generator<JournalEntry> {
  let held: Buffer = Buffer.alloc(0);
  let searchedTo = 0; // no newline before this in `held`
  let skipBytes = 0;
  let skipLine = false;
  let place = 1;
  let fields: Partial<Record<JournalField, string>> = {};
  let isEmpty = true;

  for (const chunk of input.chunks()) {
    held = held.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([held, chunk]);
    let at = 0;
    let equals = -1; // the next `=` at or after `at`, cached so that many lines without one do not make the scan quadratic
    for (;;) {
      if (skipBytes > 0) {
        const step = Math.min(skipBytes, held.length - at);
        skipBytes -= step;
        at += step;
        if (skipBytes > 0) break;
      }
      const end = held.indexOf(NEWLINE, Math.max(at, searchedTo));
      if (end < 0) {
        searchedTo = held.length;
        if (held.length - at > MAX_FIELD_BYTES) {
          problems.add('has a line that is too long', place);
          skipLine = true;
          at = held.length;
        }
        break;
      }
      if (skipLine) {
        skipLine = false;
        at = end + 1;
        continue;
      }
      if (end === at) {
        if (!isEmpty) yield { place: place++, fields };
        fields = {};
        isEmpty = true;
        at = end + 1;
        continue;
      }
      isEmpty = false;
      if (equals < at) {
        const found = held.indexOf(EQUALS, at);
        equals = found < 0 ? held.length : found;
      }
      if (equals < end) {
        if (!isNameStart(held[at]!)) problems.add('has a line that is not a field', place);
        else if (mayBeWanted(held[at]!, equals - at)) {
          const name = held.toString('latin1', at, equals);
          if (WANTED.has(name)) keep(fields, name as JournalField, held.toString('utf8', equals + 1, end));
        }
        at = end + 1;
        continue;
      }
      const name = held.toString('latin1', at, end);
      if (!NAME.test(name)) {
        problems.add('has a line that is not a field', place);
        at = end + 1;
        continue;
      }
      if (held.length < end + 9) {
        searchedTo = end;
        break;
      }
      const length = Number(held.readBigUInt64LE(end + 1));
      if (length > MAX_LENGTH) {
        problems.add(`has a field ${name} with an invalid length`, place);
        at = end + 1;
        continue;
      }
      const dataAt = end + 9;
      if (length > MAX_FIELD_BYTES || (!WANTED.has(name) && held.length < dataAt + length + 1)) {
        skipBytes = dataAt - at + length + 1;
        continue;
      }
      if (held.length < dataAt + length + 1) {
        searchedTo = end;
        break;
      }
      if (WANTED.has(name)) keep(fields, name as JournalField, held.toString('utf8', dataAt, dataAt + length));
      at = dataAt + length + 1;
    }
    held = held.subarray(at);
    searchedTo = Math.max(0, searchedTo - at);
  }
  // A blank line normally ends the last entry; without it, use the complete fields.
  if (!isEmpty) yield { place, fields };
  if (held.length > 0 || skipBytes > 0) problems.add('is truncated', place);
}

const isNameStart = (byte: number): boolean => byte === 0x5f || (byte >= 0x41 && byte <= 0x5a);

/** Most fields are not wanted: first letter and length rule them out without decoding the name. */
const SHAPES: ReadonlySet<number> = new Set(JOURNAL_FIELDS.map((name) => shapeOf(name.charCodeAt(0), name.length)));

function mayBeWanted(firstByte: number, length: number): boolean {
  return SHAPES.has(shapeOf(firstByte, length));
}

function shapeOf(firstByte: number, length: number): number {
  return firstByte * 256 + length;
}

/** For a repeated field, the first value counts. */
function keep(fields: Partial<Record<JournalField, string>>, name: JournalField, value: string): void {
  fields[name] ??= value;
}

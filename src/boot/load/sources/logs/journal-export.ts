// boot/load/sources/logs/journal-export.ts: `journalctl -o export`, a stream of `NAME=text` lines and `NAME`, length, bytes fields.

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
  // Which boot an unreadable entry belongs to cannot be known, so every boot's reader is told.
  const notes = problems.notes(input.name, 'entry');
  return boots.map((boot) => ({ ...boot, notes: [...boot.notes, ...notes] }));
}

const WANTED: ReadonlySet<string> = new Set(JOURNAL_FIELDS);
const NAME = /^[A-Z_][A-Z0-9_]{0,63}$/;
/** A field larger than this (a core dump) is passed over as it streams by, never held. */
const MAX_FIELD_BYTES = 16 << 20;
/** A length beyond this is no field but damage: believing it would swallow the rest of the input. */
const MAX_LENGTH = 1 << 30;
const NEWLINE = 0x0a;
const EQUALS = 0x3d;

/** Bytes are held only until the field they belong to is complete. */
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
    let equals = -1; // the next one at or after `at`, looked for once however many lines lack it
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
        problems.add(`has a field ${name} whose length cannot be`, place);
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
  // The last entry normally ends in a blank line; without it the fields that are whole still count.
  if (!isEmpty) yield { place, fields };
  if (held.length > 0 || skipBytes > 0) problems.add('is cut short', place);
}

const isNameStart = (byte: number): boolean => byte === 0x5f || (byte >= 0x41 && byte <= 0x5a);

/** Most fields are of no interest: their first letter and length tell before any text is made of them. */
const SHAPES: ReadonlySet<number> = new Set(JOURNAL_FIELDS.map((name) => shapeOf(name.charCodeAt(0), name.length)));

function mayBeWanted(firstByte: number, length: number): boolean {
  return SHAPES.has(shapeOf(firstByte, length));
}

function shapeOf(firstByte: number, length: number): number {
  return firstByte * 256 + length;
}

/** Of a repeated field the first counts. */
function keep(fields: Partial<Record<JournalField, string>>, name: JournalField, value: string): void {
  fields[name] ??= value;
}

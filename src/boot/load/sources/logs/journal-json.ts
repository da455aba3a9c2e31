// boot/load/sources/logs/journal-json.ts: reads `journalctl -o json` (also json-seq, json-sse and json-pretty) line by line.

import type { Evidence } from '../../../model/evidence.ts';
import { headText, type Input, linesOf } from '../../input.ts';
import { Problems } from '../problems.ts';
import type { EvidenceSource } from '../source.ts';
import { JOURNAL_FIELDS, type JournalEntry, type JournalField, readJournal } from './journal-entries.ts';

export const journalJsonSource = {
  kind: 'journal-json',
  title: 'journal JSON (journalctl -o json)',
  recognise,
  parse,
} satisfies EvidenceSource;

function recognise(input: Input): number {
  const head = headText(input);
  if (!/"__(?:REALTIME|MONOTONIC)_TIMESTAMP"\s*:/.test(head)) return 0;
  return /^\s*(?:\x1e|data: )?\{/.test(head) ? 0.95 : 0.5; // 0.5: the first line is truncated or a shell prompt
}

function parse(input: Input): Evidence[] {
  const problems = new Problems();
  const boots = readJournal(entriesOf(input, problems), { kind: 'journal-json', input: input.name, problems });
  // An unreadable line could belong to any of the boots, so every boot gets the warnings.
  const notes = problems.notes(input.name, 'line');
  return boots.map((boot) => ({ ...boot, notes: [...boot.notes, ...notes] }));
}

function* entriesOf(input: Input, problems: Problems): Generator<JournalEntry> {
  let place = 0;
  let pretty: { place: number; lines: string[] } | undefined;
  for (const raw of linesOf(input)) {
    place++;
    const line = raw.startsWith('\x1e') ? raw.slice(1) : raw.startsWith('data: ') ? raw.slice(6) : raw;
    if (pretty) {
      pretty.lines.push(line);
      if (line !== '}' && pretty.lines.length < MAX_PRETTY_LINES) continue;
      const entry = entryOf(pretty.lines.join('\n'), pretty.place, problems);
      pretty = undefined;
      if (entry) yield entry;
      continue;
    }
    if (line.trim() === '' || line.startsWith('-- ')) continue;
    if (line === '{') {
      pretty = { place, lines: [line] };
      continue;
    }
    const entry = entryOf(line, place, problems);
    if (entry) yield entry;
  }
  if (pretty) problems.add('starts an entry that does not end', pretty.place);
}

/** An entry has tens of fields; an unclosed brace must not consume the rest of the file. */
const MAX_PRETTY_LINES = 2_000;

function entryOf(text: string, place: number, problems: Problems): JournalEntry | undefined {
  // Cheap check first: JSON.parse on every line of another kind of text would be slow.
  const parsed = /^\s*[{[]/.test(text) ? parseOrNothing(text) : undefined;
  if (parsed === undefined) {
    problems.add('is not JSON', place);
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    problems.add('is not a journal entry', place);
    return undefined;
  }
  const all = parsed as Record<string, unknown>;
  const fields: Partial<Record<JournalField, string>> = {};
  for (const name of JOURNAL_FIELDS) {
    const value = all[name];
    const text = typeof value === 'string' ? value : textOfValue(value);
    if (text !== undefined) fields[name] = text;
  }
  return { place, fields };
}

function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** null: too large, omitted · array of numbers: bytes that are not UTF-8 · other array: a repeated field; the first value counts. */
function textOfValue(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (!Array.isArray(value)) return undefined;
  const first: unknown = value[0];
  if (typeof first === 'number') {
    const bytes = value.filter((byte): byte is number => typeof byte === 'number');
    return new TextDecoder().decode(Uint8Array.from(bytes));
  }
  return typeof first === 'string' ? first : Array.isArray(first) ? textOfValue(first) : undefined;
}

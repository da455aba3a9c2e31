// boot/export/csv.ts: a boot as a table for spreadsheets and scripts: one row per span, units included (RFC 4180).
import { everySpan } from '../model/all-spans.ts';
import type { BootRecord, Span } from '../model/record.ts';

const COLUMNS = [
  'id',
  'name',
  'source',
  'parent',
  'unit',
  'start_us',
  'end_us',
  'took_us',
  'start_utc',
  'wait',
  'result',
  'detail',
] as const;

export function csv(record: BootRecord): string {
  const lines = [COLUMNS.join(',')];
  for (const span of everySpan(record)) lines.push(rowOf(span, record.clock.wallAtZeroUs).join(','));
  return `${lines.join('\r\n')}\r\n`;
}

function rowOf(span: Span, wallAtZeroUs: number | undefined): string[] {
  const numbers = [span.startUs, span.endUs, span.endUs - span.startUs].map(String);
  return [
    ...[span.id, span.name, span.source, span.parent, span.unit].map(textCell),
    ...numbers,
    wallAtZeroUs === undefined ? '' : utc(wallAtZeroUs + span.startUs),
    ...[span.wait, span.result, span.detail].map(textCell),
  ];
}

/** Spreadsheets execute a cell that begins like a formula, and this text comes from logs. An apostrophe prevents that. */
function textCell(value: string | undefined): string {
  if (value === undefined) return '';
  const safe = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** ISO 8601 with microseconds; empty if a Date cannot represent it. */
function utc(us: number): string {
  const date = new Date(Math.floor(us / 1e6) * 1000);
  if (Number.isNaN(date.getTime())) return '';
  const micros = String(Math.round(us - Math.floor(us / 1e6) * 1e6)).padStart(6, '0');
  return `${date.toISOString().slice(0, -5)}.${micros}Z`;
}

// boot/export/csv.ts: a boot as a table for spreadsheets and scripts: one row per phase, span, unit and milestone, in order of time (RFC 4180).
import { everySpan } from '../model/all-spans.ts';
import { milestonesOf } from '../model/milestones.ts';
import { phases } from '../model/phases.ts';
import type { BootRecord } from '../model/record.ts';
import { pathSegments } from '../questions/path/path-segments.ts';

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
  'kind',
  'critical',
  'path_us',
] as const;

interface Row {
  id: string;
  name: string;
  source: string;
  parent?: string;
  unit?: string;
  startUs: number;
  endUs: number;
  wait?: string;
  result?: string;
  detail?: string;
  kind: 'phase' | 'span' | 'milestone';
}

export function csv(record: BootRecord): string {
  const path = timeOnPath(record);
  const lines = rowsOf(record).map((row) => cellsOf(row, path, record.clock.wallAtZeroUs).join(','));
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
}

/** The time of each link of the critical path that delayed the boot; 0 for a link that took none, such as a target. */
function timeOnPath(record: BootRecord): Map<string, number> {
  const { links, segments } = pathSegments(record);
  const onPath = new Map(links.map(({ id }) => [id, 0]));
  for (const { id, startUs, endUs } of segments)
    if (id !== undefined) onPath.set(id, (onPath.get(id) ?? 0) + endUs - startUs);
  return onPath;
}

/** By start; outer rows before the rows inside them. */
function rowsOf(record: BootRecord): Row[] {
  const rows: Row[] = [
    ...phases(record).map((phase): Row => ({ ...phase, id: `phase:${phase.name}`, source: 'phase', kind: 'phase' })),
    ...everySpan(record).map((span): Row => ({ ...span, kind: 'span' })),
    ...milestonesOf(record).map(({ name, atUs, source, detail }): Row => {
      const at = { id: `milestone:${name}`, name, source, startUs: atUs, endUs: atUs, kind: 'milestone' as const };
      return detail === undefined ? at : { ...at, detail };
    }),
  ];
  return rows.sort((a, b) => a.startUs - b.startUs || b.endUs - a.endUs || (a.id < b.id ? -1 : 1));
}

function cellsOf(row: Row, path: ReadonlyMap<string, number>, wallAtZeroUs: number | undefined): string[] {
  const pathUs = path.get(row.id);
  return [
    ...[row.id, row.name, row.source, row.parent, row.unit].map(textCell),
    ...[row.startUs, row.endUs, row.endUs - row.startUs].map(String),
    wallAtZeroUs === undefined ? '' : utc(wallAtZeroUs + row.startUs),
    ...[row.wait, row.result, row.detail, row.kind].map(textCell),
    ...(pathUs === undefined ? ['', ''] : ['yes', String(pathUs)]),
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

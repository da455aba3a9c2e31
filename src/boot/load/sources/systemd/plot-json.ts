// boot/load/sources/systemd/plot-json.ts: reads `systemd-analyze plot --json`: unit stamps without edges, often followed by a legend.

import { type Evidence, evidence } from '../../../model/evidence.ts';
import type { Unit } from '../../../model/record.ts';
import { headText, type Input, inputText } from '../../input.ts';
import { Problems } from '../problems.ts';
import type { EvidenceSource } from '../source.ts';
import { stampsOf, type UnitBars } from './drawn-unit.ts';
import { isName } from './unit-name.ts';

export const plotJsonSource = {
  kind: 'analyze-plot-json',
  title: '`systemd-analyze plot --json`',
  recognise: (input) => (ROW_START.test(headText(input)) ? 0.9 : 0),
  parse: parsePlotJson,
} satisfies EvidenceSource;

const ROW_START = /^\s*\[\s*\{\s*"name"\s*:\s*"[^"]*"\s*,\s*"activated"\s*:/;
/** Rows are flat objects and are parsed one by one, so a legend after the array or a truncated end does no harm. */
const ROW = /\{[^{}]*\}/g;

function parsePlotJson(input: Input): Evidence[] {
  const problems = new Problems();
  const rows: { name: string; bars: UnitBars }[] = [];
  let finishUs = 0;
  let count = 0;
  const text = inputText(input);
  for (const [source] of text.matchAll(ROW)) {
    count++;
    const row = parseRow(source);
    if (!row) problems.add('is not a unit with times', count);
    else {
      rows.push(row);
      finishUs = Math.max(finishUs, row.bars.deactivatedUs, row.bars.activatedUs);
    }
  }
  if (!/\]\s*(\d+ Units listed\.)?\s*$/.test(text))
    problems.add('is the last readable one: the file is truncated', count);
  if (rows.length === 0) return [];
  const units = rows.map(({ name, bars }): Unit => ({ name, ...stampsOf(bars, finishUs, 0), after: [] }));
  const notes = problems.notes(input.name, 'row');
  return [evidence({ kind: 'analyze-plot-json', input: input.name, clock: 'monotonic', units, notes })];
}

function parseRow(source: string): { name: string; bars: UnitBars } | undefined {
  let row: Record<string, unknown>;
  try {
    row = JSON.parse(source) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const { name } = row;
  const stamps = ['activating', 'activated', 'deactivating', 'deactivated', 'time'].map((key) => row[key] ?? 0);
  if (typeof name !== 'string' || !isName(name) || !stamps.every(isStamp)) return undefined;
  const [activatingUs, activatedUs, deactivatingUs, deactivatedUs, labelTookUs] = stamps as [
    number,
    number,
    number,
    number,
    number,
  ];
  return { name, bars: { activatingUs, activatedUs, deactivatingUs, deactivatedUs, labelTookUs } };
}

function isStamp(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

// boot/load/sources/systemd/analyze-blame-text.ts: how long did each unit take, according to a pasted `systemd-analyze blame`?
import { parseSpan } from '../../../../base/duration.ts';
import type { Note, Unit } from '../../../model/record.ts';
import { withoutLabels } from '../logs/pasted-line.ts';
import { NAME_CHARS, UNIT_SUFFIX } from './unit-name.ts';

const BLAME_LINE = new RegExp(
  `^\\s*((?:\\d{1,9}(?:\\.\\d{1,6})?(?:y|month|w|d|h|min|s|ms|us)\\s+){1,9})([…${NAME_CHARS}]{1,255}?(?:\\.${UNIT_SUFFIX}|…|>))$`,
);

export function parseBlameLine(text: string): { unit: string; tookUs: number } | undefined {
  const match = BLAME_LINE.exec(withoutLabels(text));
  const tookUs = match ? parseSpan(match[1]!) : undefined;
  return match && tookUs !== undefined ? { unit: match[2]!, tookUs } : undefined;
}

/**
 * The listing has no start times. A unit that the chain does not place is marked: its duration is right, but its start is
 * unknown.
 */
export function unitsFromBlame(
  blame: ReadonlyMap<string, number>,
  placed: readonly Unit[],
  input: string,
): { units: Unit[]; notes: Note[] } {
  const known = new Set(placed.map((unit) => unit.name));
  const units: Unit[] = [];
  for (const [name, tookUs] of blame) {
    if (known.has(name)) continue;
    units.push({
      name,
      isStartUnknown: true,
      activatingUs: 1,
      activatedUs: 1 + tookUs,
      deactivatingUs: 0,
      deactivatedUs: 0,
      after: [],
    });
  }
  if (units.length === 0) return { units, notes: [] };
  const count = `${units.length} unit${units.length === 1 ? '' : 's'}`;
  const text = `${input}: blame has the duration of ${count} but no start time: it cannot show when they ran or what waited for them`;
  return { units, notes: [{ level: 'info', text }] };
}

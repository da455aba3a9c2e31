// boot/load/sources/systemd/plot-tooltip.ts: reads a unit's edges and exact stamps from its tooltip in a plot (v255 and later).
import type { Unit } from '../../../model/record.ts';

export interface Tooltip {
  /** From v257 on; exact to the microsecond. */
  activatingUs?: number;
  activatedUs?: number;
  edges: Partial<Pick<Unit, EdgeField>>;
}

type EdgeField = 'after' | 'before' | 'requires' | 'requisite' | 'wants' | 'conflicts' | 'upholds';

const EDGE_FIELDS: Readonly<Record<string, EdgeField>> = {
  'After:': 'after',
  'Before:': 'before',
  'Requires:': 'requires',
  'Requisite:': 'requisite',
  'Wants:': 'wants',
  'Conflicts:': 'conflicts',
  'Upholds:': 'upholds',
};
const STAMP = /^(Activating|Activated): (\d{1,9})\.(\d{1,6})$/;

export function parseTooltip(lines: readonly string[]): Tooltip {
  const tooltip: Tooltip = { edges: {} };
  let names: string[] | undefined;
  for (const line of lines) {
    const stamp = STAMP.exec(line);
    const field = Object.hasOwn(EDGE_FIELDS, line) ? EDGE_FIELDS[line] : undefined;
    if (stamp) {
      // The part after the dot is a number of microseconds, not a decimal fraction: `12.045` is 12 s 45 µs.
      const us = Number(stamp[2]) * 1e6 + Number(stamp[3]);
      tooltip[stamp[1] === 'Activating' ? 'activatingUs' : 'activatedUs'] = us;
    } else if (field) {
      names = [];
      tooltip.edges[field] = names;
    } else if (line.startsWith('  ')) {
      names?.push(line.trim());
    }
  }
  return tooltip;
}

// boot/load/sources/systemd/analyze-time-text.ts: which target was reached when, says the second line of `systemd-analyze time`?
import { parseSpan } from '../../../../base/duration.ts';
import type { Unit } from '../../../model/record.ts';
import { NAME_CHARS, UNIT_SUFFIX } from './unit-name.ts';

export interface ReachedTarget {
  unit: Unit;
}

const REACHED = new RegExp(
  `^\\W*?([${NAME_CHARS}]{1,255}\\.${UNIT_SUFFIX}) (?:reached after ([0-9a-z. ]{1,80}?) in userspace|was never reached)\\.?$`,
);

/** Longer than any real one; the pattern is not for lines of any length. */
const MAX_LINE = 500;

/** The line speaks of default.target under its Id. */
export function parseReachedLine(text: string): ReachedTarget | undefined {
  if (text.length > MAX_LINE || !text.includes(' reached')) return undefined;
  const match = REACHED.exec(text);
  if (!match) return undefined;
  const atUs = match[2] === undefined ? 0 : parseSpan(match[2]);
  if (atUs === undefined) return undefined;
  return {
    unit: {
      name: match[1]!,
      aliases: ['default.target'],
      activatingUs: atUs,
      activatedUs: atUs,
      deactivatingUs: 0,
      deactivatedUs: 0,
      after: [],
    },
  };
}

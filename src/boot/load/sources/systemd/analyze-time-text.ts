// boot/load/sources/systemd/analyze-time-text.ts: when was the default target reached, according to `systemd-analyze time`?
import { parseSpan } from '../../../../base/duration.ts';
import type { Unit } from '../../../model/record.ts';
import { NAME_CHARS, UNIT_SUFFIX } from './unit-name.ts';

export interface ReachedTarget {
  unit: Unit;
}

const REACHED = new RegExp(
  `^\\W*?([${NAME_CHARS}]{1,255}\\.${UNIT_SUFFIX}) (?:reached after ([0-9a-z. ]{1,80}?) in userspace|was never reached)\\.?$`,
);

/** Longer than any real line; keeps the pattern from running on huge lines. */
const MAX_LINE = 500;

/** The line names default.target by its Id. */
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

// boot/compat/systemd/blame.ts: which units took longest to start?
import { formatSpan } from '../../../base/duration.ts';
import { type BootRecord, hasStarted, startTookUs, type Unit } from '../../model/record.ts';
import { waitReason } from '../../model/waits.ts';
import { isAfterBoot, isRestarted, type StartState, startState, unitLabels } from './unit-state.ts';

export interface BlamedUnit {
  unit: string;
  tookUs: number;
  state: StartState;
  wait?: string;
  isRestarted: boolean;
  isAfterBoot: boolean;
  /** Remarks for the user, such as `failed`. */
  labels: string[];
}

/** Longest first; ties by name, so that the output is deterministic. */
export function slowestUnits(record: BootRecord): BlamedUnit[] {
  return record.units
    .filter((unit) => hasStarted(unit) && startTookUs(unit) > 0)
    .map((unit) => blamed(unit, record))
    .sort((a, b) => b.tookUs - a.tookUs || (a.unit < b.unit ? -1 : 1));
}

function blamed(unit: Unit, record: BootRecord): BlamedUnit {
  const wait = waitReason(unit, record);
  return {
    unit: unit.name,
    tookUs: startTookUs(unit),
    state: startState(unit),
    ...(wait !== undefined && { wait }),
    isRestarted: isRestarted(unit),
    isAfterBoot: isAfterBoot(unit, record),
    labels: unitLabels(unit, record),
  };
}

/** Loaded units that did not run, and why. For JSON, where a missing unit would be ambiguous. */
export function unitsNotRun(record: BootRecord): { unit: string; state: StartState }[] {
  return record.units
    .filter((unit) => !hasStarted(unit) && unit.activatedUs === 0)
    .map((unit) => ({ unit: unit.name, state: startState(unit) }));
}

export function renderBlame(units: readonly BlamedUnit[]): string {
  const spans = units.map((unit) => formatSpan(unit.tookUs));
  const width = spans.reduce((most, span) => Math.max(most, span.length), 0);
  return units
    .map(
      ({ unit, labels }, i) => `${spans[i]!.padStart(width)} ${unit}${labels.map((label) => ` [${label}]`).join('')}\n`,
    )
    .join('');
}

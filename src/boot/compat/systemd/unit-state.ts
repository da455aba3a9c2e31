// boot/compat/systemd/unit-state.ts: did a unit start, fail or never run?
import type { BootRecord, Unit } from '../../model/record.ts';
import { waitReason } from '../../model/waits.ts';

export type StartState =
  | 'started'
  /** Ended without becoming active: a oneshot without RemainAfterExit. */
  | 'ran'
  | 'failed'
  | 'starting'
  | 'condition-failed'
  | 'never-started'
  | 'not-found';

export function startState(unit: Unit): StartState {
  if (isFailed(unit)) return 'failed';
  if (unit.activatingUs === 0 && unit.activatedUs === 0) {
    if (unit.loadState === 'not-found') return 'not-found';
    return unit.conditionFailed ? 'condition-failed' : 'never-started';
  }
  if (unit.activatedUs >= unit.activatingUs) return 'started';
  return unit.deactivatedUs >= unit.activatingUs ? 'ran' : 'starting';
}

function isFailed(unit: Unit): boolean {
  if (unit.activeState !== undefined) return unit.activeState === 'failed';
  // Text input has no state: assume that a unit failed if it ended without becoming active.
  const endedEarly = unit.activatingUs > 0 && unit.activatedUs === 0 && unit.deactivatedUs >= unit.activatingUs;
  return unit.result !== undefined || endedEarly;
}

/** The stamps belong to a later start: the unit had already ended before it. */
export function isRestarted(unit: Unit): boolean {
  return unit.activatingUs > 0 && unit.deactivatedUs > 0 && unit.deactivatedUs <= unit.activatingUs;
}

export function isAfterBoot(unit: Unit, record: BootRecord): boolean {
  const finishUs = record.manager?.finishUs ?? 0;
  return finishUs > 0 && unit.activatingUs > finishUs;
}

/** Labels printed after a unit's times: `failed`, `wait: …`, `restarted after boot`. */
export function unitLabels(unit: Unit, record: BootRecord): string[] {
  const state = startState(unit);
  const wait = waitReason(unit, record);
  return [
    ...(STATE_LABELS[state] === undefined ? [] : [STATE_LABELS[state]]),
    ...(wait === undefined ? [] : [`wait: ${wait}`]),
    ...lateLabel(unit, record),
  ];
}

const STATE_LABELS: Readonly<Partial<Record<StartState, string>>> = {
  failed: 'failed',
  starting: 'still starting',
  'condition-failed': 'condition failed: did not run',
  'never-started': 'never started',
  'not-found': 'not installed',
};

function lateLabel(unit: Unit, record: BootRecord): string[] {
  if (isRestarted(unit)) return [isAfterBoot(unit, record) ? 'restarted after boot' : 'restarted: not its first start'];
  return isAfterBoot(unit, record) ? ['started after boot'] : [];
}

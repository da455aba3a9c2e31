// boot/compat/systemd/unit-state.ts: how did a unit's start go, in words a person can act on?
import type { BootRecord, Unit } from '../../model/record.ts';
import { waitReason } from '../../model/waits.ts';

export type StartState =
  | 'started'
  /** Ran to its end without ever being "active": a oneshot that does not remain. */
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
  // Text that leaves out the state: ended without having become active is all there is to go by.
  const endedEarly = unit.activatingUs > 0 && unit.activatedUs === 0 && unit.deactivatedUs >= unit.activatingUs;
  return unit.result !== undefined || endedEarly;
}

/** The stamps are those of a later start: it had been up, or had ended, before it began this time. */
export function isRestarted(unit: Unit): boolean {
  return unit.activatingUs > 0 && unit.deactivatedUs > 0 && unit.deactivatedUs <= unit.activatingUs;
}

export function isAfterBoot(unit: Unit, record: BootRecord): boolean {
  const finishUs = record.manager?.finishUs ?? 0;
  return finishUs > 0 && unit.activatingUs > finishUs;
}

/** What the numbers beside a unit do not say: `failed`, `wait: …`, `restarted after boot`. */
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

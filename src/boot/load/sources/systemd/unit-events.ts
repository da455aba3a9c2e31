// boot/load/sources/systemd/unit-events.ts: when did each unit start, according to the job messages of PID 1?
import { failureText } from '../../../model/causes/failures.ts';
import type { Span, Unit } from '../../../model/record.ts';

export interface UnitEvent {
  atUs: number;
  unit: string;
  what: 'began' | 'done' | 'failed' | 'skipped' | 'stopping' | 'stopped';
  /** systemd's word for why it failed. */
  result?: string;
}

export interface UnitsFromEvents {
  units: Unit[];
  deviceWaits: Span[];
  /** Start jobs that failed before the unit itself began: a device timed out, or a dependency failed. */
  failedJobs: Span[];
  /** The number of units that first started long after the boot: sessions, timers, pods. */
  leftOut: number;
}

/** Units that first start more than an hour after start-up finished are not part of the boot. */
const BOOT_WINDOW_US = 3_600e6;

/**
 * Uses the first start of each unit: unlike systemctl's stamps, it does not change when the unit restarts hours later.
 * For a unit that ran in the initrd and again in the real root, the latter counts, as in systemd itself.
 */
export function unitsOf(
  events: readonly UnitEvent[],
  phases: { userspaceUs: number; finishUs: number },
): UnitsFromEvents {
  const lastUs = phases.finishUs > 0 ? phases.finishUs + BOOT_WINDOW_US : Number.POSITIVE_INFINITY;
  const units = new Map<string, Unit>();
  const expected = new Map<string, number>();
  const deviceWaits: Span[] = [];
  const failedJobs = new Map<string, Span>();
  const late = new Set<string>();
  for (const event of events.toSorted((a, b) => a.atUs - b.atUs)) {
    const known = units.get(event.unit);
    if (event.atUs > lastUs && !known) {
      late.add(event.unit);
      continue;
    }
    if (event.unit.endsWith('.device')) noteDevice(event, expected, deviceWaits);
    const unit = known ?? newUnit(event.unit);
    if (!known) units.set(event.unit, unit);
    const isJob = event.what === 'failed' && unit.activatingUs === 0;
    if (isJob && !deviceWaits.some((wait) => wait.unit === event.unit)) noteFailedJob(event, failedJobs);
    advance(unit, event, phases.userspaceUs);
  }
  return { units: [...units.values()], deviceWaits, failedJobs: [...failedJobs.values()], leftOut: late.size };
}

function newUnit(name: string): Unit {
  return { name, activatingUs: 0, activatedUs: 0, deactivatingUs: 0, deactivatedUs: 0, after: [] };
}

function advance(unit: Unit, { what, atUs, result }: UnitEvent, userspaceUs: number): void {
  const isInitrdRun = unit.activatingUs > 0 && unit.activatingUs < userspaceUs && atUs >= userspaceUs;
  const hasFailed = unit.activatedUs === 0 && unit.deactivatedUs > 0;
  switch (what) {
    case 'began':
      // A device has no start-up: "expecting" it is a wait, not a start.
      if (unit.name.endsWith('.device')) return;
      if (unit.activatingUs === 0 || hasFailed || isInitrdRun) restart(unit, atUs);
      return;
    case 'done':
      if (isInitrdRun && unit.activatedUs > 0) restart(unit, atUs);
      if (unit.activatedUs > 0) return;
      if (unit.activatingUs === 0 || hasFailed) restart(unit, atUs);
      unit.activatedUs = atUs;
      return;
    case 'failed':
      if (unit.activatedUs > 0) return;
      unit.result = result ?? unit.result ?? 'failed';
      unit.activeState = 'failed';
      if (unit.activatingUs > 0 && unit.deactivatedUs === 0) unit.deactivatedUs = atUs;
      return;
    case 'skipped':
      if (unit.activatingUs === 0) unit.conditionFailed = true;
      return;
    case 'stopping':
      if (unit.activatedUs > 0 && unit.deactivatingUs === 0) unit.deactivatingUs = atUs;
      return;
    case 'stopped':
      if (unit.activatedUs > 0 && unit.deactivatedUs === 0) unit.deactivatedUs = atUs;
  }
}

function restart(unit: Unit, atUs: number): void {
  unit.activatingUs = atUs;
  unit.activatedUs = 0;
  unit.deactivatingUs = 0;
  unit.deactivatedUs = 0;
  delete unit.result;
  delete unit.activeState;
  delete unit.conditionFailed;
}

/** systemd logs a failed job twice: the first line counts. When the job was queued is unknown. */
function noteFailedJob({ unit, atUs, result }: UnitEvent, found: Map<string, Span>): void {
  if (found.has(unit)) return;
  const id = `job:${unit}`;
  const failure = failureText(result, 0);
  found.set(unit, { id, name: unit, source: 'systemd', unit, startUs: atUs, endUs: atUs, result: 'fail', failure });
}

function noteDevice({ what, unit, atUs, result }: UnitEvent, expected: Map<string, number>, waits: Span[]): void {
  const sinceUs = expected.get(unit);
  if (what === 'began' && sinceUs === undefined) expected.set(unit, atUs);
  if (sinceUs === undefined || (what !== 'done' && what !== 'failed')) return;
  expected.delete(unit);
  waits.push({
    id: `device-wait:${unit}`,
    name: `waiting for ${unit}`,
    source: 'systemd',
    unit,
    startUs: sinceUs,
    endUs: atUs,
    wait: what === 'done' ? 'the device had not appeared' : 'the device never appeared',
    ...(what === 'failed' && { result: 'fail' as const, failure: failureText(result, atUs - sinceUs) }),
  });
}

// boot/questions/unit-use.ts: was a unit busy while it started, or did it mostly wait?
import { startTookUs, type Unit, type UsedResources } from '../model/record.ts';

export interface UnitUse extends UsedResources {
  /**
   * Whether the numbers cover the start alone. systemd counts from the start of a unit to the recording: only the processes of a
   * oneshot service, and of a unit that failed to start, end with its start. Otherwise the numbers are upper bounds for the start.
   */
  isStartOnly: boolean;
  /** Absent if the numbers do not decide it. `waiting`: for a disk, the network, another process or a free CPU. */
  verdict?: 'waiting' | 'cpu-bound';
}

/** Shorter starts tell nothing: starting a process alone takes some CPU time. */
const SHORTEST_US = 100_000;
const WAITING_SHARE = 0.2;
const BUSY_SHARE = 0.8;

export function unitUse(unit: Unit): UnitUse | undefined {
  const { used } = unit;
  if (!used) return undefined;
  const isStartOnly = unit.serviceType === 'oneshot' || isFailedStart(unit);
  const verdict = verdictOf(used.cpuUs, startTookUs(unit), isStartOnly);
  return { ...used, isStartOnly, ...(verdict && { verdict }) };
}

function isFailedStart({ activatingUs, activatedUs, deactivatedUs }: Unit): boolean {
  return activatedUs < activatingUs && deactivatedUs >= activatingUs;
}

/** A small upper bound is enough for "waiting"; a large one says nothing about the start. */
function verdictOf(cpuUs: number | undefined, tookUs: number, isStartOnly: boolean): UnitUse['verdict'] {
  if (cpuUs === undefined || tookUs < SHORTEST_US) return undefined;
  if (cpuUs <= tookUs * WAITING_SHARE) return 'waiting';
  return isStartOnly && cpuUs >= tookUs * BUSY_SHARE ? 'cpu-bound' : undefined;
}

// boot/model/causes/silent-timeouts.ts: which devices timed out, although no input logged it? `systemctl show` has no stamp of a device that
// never appeared, but it has its timeout, what needed it, and what started when the timeout had passed.

import { knownUserspaceUs } from '../order-graph.ts';
import { type BootRecord, isPlaced, type Span, startTookUs, type Unit } from '../record.ts';
import { failureText } from './failures.ts';

/** systemd queues the jobs of devices with the first units. */
const QUEUED_WITHIN_US = 5e6;
/** If another dependency ended so shortly before, the unit may have waited for that one. */
const ALONE_US = 2e6;

/** Spans as a journal gives them: the wait for the device, and the failed job of the unit that needed it. */
export function silentTimeouts(record: Pick<BootRecord, 'units' | 'spans' | 'clock' | 'manager'>): Span[] {
  const devices = record.units.filter((unit) => unit.jobTimeoutUs !== undefined && isMissing(unit));
  if (devices.length === 0) return [];
  const logged = new Set(record.spans.map((span) => span.unit));
  const started = record.units.filter(isPlaced);
  const firstUs = firstStartUs(record, started);
  return devices.flatMap((device): Span[] => {
    if (logged.has(device.name)) return [];
    const needing = record.units.filter((unit) => isMissing(unit) && needs(unit, device.name));
    const names = new Set([device.name, ...needing.map(({ name }) => name)]);
    const released = started.find((unit) => waitedOutTimeout(unit, { device, names, started, firstUs }));
    return released ? spansOf(device, needing, released) : [];
  });
}

function isMissing({ activatingUs, activatedUs }: Unit): boolean {
  return activatingUs === 0 && activatedUs === 0;
}

function needs(unit: Unit, device: string): boolean {
  const required = [unit.bindsTo, unit.requires].some((list) => list?.includes(device));
  return required && unit.after.includes(device);
}

function firstStartUs(record: Pick<BootRecord, 'clock' | 'manager'>, started: readonly Unit[]): number {
  const userspaceUs = knownUserspaceUs(record) ?? 0;
  let firstUs = Number.POSITIVE_INFINITY;
  for (const { activatingUs } of started) if (activatingUs >= userspaceUs) firstUs = Math.min(firstUs, activatingUs);
  // A listing may lack the units before those that waited.
  return userspaceUs > 0 ? Math.min(firstUs, userspaceUs + QUEUED_WITHIN_US) : firstUs;
}

interface Wait {
  device: Unit;
  names: ReadonlySet<string>;
  started: readonly Unit[];
  firstUs: number;
}

function waitedOutTimeout(unit: Unit, { device, names, started, firstUs }: Wait): boolean {
  if (!unit.after.some((name) => names.has(name))) return false;
  const queuedUs = unit.activatingUs - device.jobTimeoutUs!;
  if (queuedUs < firstUs - QUEUED_WITHIN_US || queuedUs > firstUs + QUEUED_WITHIN_US) return false;
  return started.every((other) => {
    const endUs = other.activatingUs + startTookUs(other);
    const isLate = endUs <= unit.activatingUs && endUs > unit.activatingUs - ALONE_US;
    return !isLate || other === unit || !unit.after.includes(other.name);
  });
}

function spansOf(device: Unit, needing: readonly Unit[], { activatingUs: endUs }: Unit): Span[] {
  const failed = { source: 'systemd', endUs, result: 'fail' } as const;
  const timedOut = failureText('timeout', device.jobTimeoutUs!);
  return [
    {
      ...{ id: `device-wait:${device.name}`, name: `waiting for ${device.name}`, unit: device.name, ...failed },
      startUs: endUs - device.jobTimeoutUs!,
      wait: 'the device never appeared',
      failure: `${timedOut} (inferred from its limit)`,
    },
    ...needing.map(({ name }) => ({
      ...{ id: `job:${name}`, name, unit: name, ...failed },
      startUs: endUs,
      failure: failureText('dependency', 0),
    })),
  ];
}

// boot/model/triggered-units.ts: which units did a timer, a socket, a path or a device start, and not the boot itself?
import { type BootRecord, hasStarted, type Unit } from './record.ts';

/**
 * By name, with what triggered each. A unit that another unit wants or requires is part of the boot even if it has a socket. Systemd
 * before 247 and pasted text have no TriggeredBy=; there, a timer or path of the same name counts. A device that appears starts the
 * units that udev rules name for it (SYSTEMD_WANTS=), which systemctl lists as Wants= of the device.
 */
export function triggeredUnits(record: BootRecord): ReadonlyMap<string, string> {
  const known = KNOWN.get(record);
  if (known) return known;
  const found = findTriggered(record);
  KNOWN.set(record, found);
  return found;
}

/** One answer asks several times, and a boot may have thousands of units. */
const KNOWN = new WeakMap<BootRecord, ReadonlyMap<string, string>>();

function findTriggered(record: BootRecord): Map<string, string> {
  const started = record.units.filter(hasStarted);
  const names = new Set(started.map(({ name }) => name));
  const triggerOf = new Map([...devicesOf(started, names), ...triggersOf(started, names)]);
  if (triggerOf.size === 0) return triggerOf;
  for (const unit of started) {
    if (!isDevice(unit.name)) for (const name of pulledIn(unit)) triggerOf.delete(name);
  }
  return triggerOf;
}

/** What the trigger waited for before it started its unit. */
export function triggerEvent(trigger: string): string {
  if (trigger.endsWith('.timer')) return `until ${trigger} elapsed`;
  if (trigger.endsWith('.socket')) return `until a client connected to ${trigger}`;
  if (isDevice(trigger)) return `until ${trigger} appeared`;
  return `until ${trigger} triggered it`;
}

export function isDevice(unit: string): boolean {
  return unit.endsWith('.device');
}

/** A device has a unit per name: the first one that appeared counts. */
function devicesOf(started: readonly Unit[], names: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  const devices = started.filter(({ name, wants }) => isDevice(name) && wants !== undefined);
  for (const { name, wants } of devices.sort((a, b) => a.activatedUs - b.activatedUs)) {
    for (const unit of wants ?? []) if (names.has(unit) && !found.has(unit)) found.set(unit, name);
  }
  return found;
}

function triggersOf(started: readonly Unit[], names: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  for (const { name, triggers } of started) {
    for (const unit of triggers ?? namesake(name)) if (names.has(unit)) found.set(unit, name);
  }
  for (const { name, triggeredBy } of started) {
    const trigger = triggeredBy?.find((candidate) => names.has(candidate));
    if (trigger !== undefined) found.set(name, trigger);
  }
  return found;
}

function namesake(name: string): string[] {
  const [ending] = ['.timer', '.path'].filter((one) => name.endsWith(one) && name.length > one.length);
  return ending === undefined ? [] : [`${name.slice(0, -ending.length)}.service`];
}

function pulledIn({ wants, requires, bindsTo, upholds }: Unit): string[] {
  return [wants, requires, bindsTo, upholds].flatMap((names) => names ?? []);
}

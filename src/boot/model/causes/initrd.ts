// boot/model/causes/initrd.ts: which units ran in a systemd initrd, and whose stamps are from both sides of the switch to the real root?
import { phases } from '../phases.ts';
import type { BootRecord, Span, Unit } from '../record.ts';

/**
 * A device unit keeps its first stamp over the switch to the real root, where udev announces the device again and sets the second one.
 * The time between them is not a wait for the device, which was there all the time (systemd issue 29010): it appeared at the
 * second stamp, as far as the real root knows.
 */
export function spansSwitchRoot(unit: Unit, { clock, manager }: Pick<BootRecord, 'clock' | 'manager'>): boolean {
  if (!manager || manager.initrdUs === 0 || clock.zero === 'first-event' || !unit.name.endsWith('.device'))
    return false;
  const userspaceUs = clock.zero === 'kernel' ? manager.userspaceUs : 0;
  return unit.activatingUs < userspaceUs && unit.activatedUs >= userspaceUs;
}

/** The units with the starts that answers use. `record.units` keeps the stamps as systemd has them, for compat. */
export function settledUnits(record: BootRecord): Unit[] {
  return record.units.map((unit) =>
    spansSwitchRoot(unit, record) ? { ...unit, activatingUs: unit.activatedUs } : unit,
  );
}

/** Of the spans of units, those that began in the initrd. */
export function inInitrd(record: BootRecord, spans: readonly Span[]): Span[] {
  const initrd = phases(record).find(({ name }) => name === 'initrd');
  if (!initrd) return [];
  return spans.filter(
    ({ source, startUs }) => source === 'systemd' && startUs >= initrd.startUs && startUs < initrd.endUs,
  );
}

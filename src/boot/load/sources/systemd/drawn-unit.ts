// boot/load/sources/systemd/drawn-unit.ts: which stamps did a unit have, given its bars in a picture that ends with the boot?
import type { Unit } from '../../../model/record.ts';

export interface UnitBars {
  activatingUs: number;
  activatedUs: number;
  deactivatingUs: number;
  deactivatedUs: number;
  /** Took this long by the label; 0 = the label has no time. undefined = no label. */
  labelTookUs?: number | undefined;
}

/**
 * `plot` cuts every stamp at the end of the boot and draws what never happened up to there, so a bar that ends with
 * the boot says nothing; a unit that ended without becoming active has its last three stamps in one place.
 */
export function stampsOf(bars: UnitBars, finishUs: number, resolutionUs: number): Omit<Unit, 'name' | 'after'> {
  const { activatingUs, labelTookUs } = bars;
  const isOpen = (us: number) => us >= finishUs - resolutionUs;
  const near = (a: number, b: number) => Math.abs(a - b) <= resolutionUs;
  const deactivatedUs = isOpen(bars.deactivatedUs) ? 0 : bars.deactivatedUs;
  const deactivatingUs = isOpen(bars.deactivatingUs) ? 0 : bars.deactivatingUs;
  const tookUs = bars.activatedUs - activatingUs;
  if (deactivatedUs > 0 && near(bars.activatedUs, deactivatedUs) && tookUs > resolutionUs) {
    return { activatingUs, activatedUs: 0, deactivatingUs: 0, deactivatedUs };
  }
  const isCut = isOpen(bars.activatedUs) && tookUs > resolutionUs;
  if (!isCut) return { activatingUs, activatedUs: bars.activatedUs, deactivatingUs, deactivatedUs };
  // The label is written before the cut: with a time, the unit did get there; without one, it was still starting.
  const activatedUs = labelTookUs === undefined ? bars.activatedUs : labelTookUs === 0 ? 0 : activatingUs + labelTookUs;
  return { activatingUs, activatedUs, deactivatingUs, deactivatedUs };
}

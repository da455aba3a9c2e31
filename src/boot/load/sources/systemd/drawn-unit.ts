// boot/load/sources/systemd/drawn-unit.ts: which stamps did a unit have, given its bars in a plot that ends with the boot?
import type { Unit } from '../../../model/record.ts';

export interface UnitBars {
  activatingUs: number;
  activatedUs: number;
  deactivatingUs: number;
  deactivatedUs: number;
  /** The duration in the label; 0 = the label has no time, undefined = no label. */
  labelTookUs?: number | undefined;
}

/**
 * `plot` clips every stamp to the end of the boot and draws unset stamps there too, so the end of a bar that ends with
 * the boot is unknown. For a unit that ended without becoming active, the last three stamps coincide.
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
  // The label is not clipped: with a time, the unit became active later; without one, it was still starting.
  const activatedUs = labelTookUs === undefined ? bars.activatedUs : labelTookUs === 0 ? 0 : activatingUs + labelTookUs;
  return { activatingUs, activatedUs, deactivatingUs, deactivatedUs };
}

// boot/compat/systemd/plot-units.ts: where do a unit's bars start and end in a plot that ends with the boot?
export interface UnitStamps {
  activatingUs: number;
  activatedUs: number;
  deactivatingUs: number;
  deactivatedUs: number;
}

/** Clips stamps to the end of the boot, and sets unset ones to it. A unit that failed to start has no active bar. */
export function limitToBoot<T extends UnitStamps>(times: T, finishUs: number): T {
  let { activatedUs, deactivatingUs, deactivatedUs } = times;
  const { activatingUs } = times;
  if (deactivatedUs > activatingUs && deactivatedUs <= finishUs && activatedUs === 0 && deactivatingUs === 0) {
    activatedUs = deactivatedUs;
    deactivatingUs = deactivatedUs;
  }
  if (activatedUs < activatingUs || activatedUs > finishUs) activatedUs = finishUs;
  if (deactivatingUs < activatedUs || deactivatingUs > finishUs) deactivatingUs = finishUs;
  if (deactivatedUs < deactivatingUs || deactivatedUs > finishUs) deactivatedUs = finishUs;
  return { ...times, activatedUs, deactivatingUs, deactivatedUs };
}

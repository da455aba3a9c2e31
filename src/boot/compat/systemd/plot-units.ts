// boot/compat/systemd/plot-units.ts: where do a unit's bars begin and end in a picture that ends with the boot?
export interface UnitStamps {
  activatingUs: number;
  activatedUs: number;
  deactivatingUs: number;
  deactivatedUs: number;
}

/** What has not happened by the end of the boot is drawn up to there; a unit that failed to start goes straight to its end. */
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

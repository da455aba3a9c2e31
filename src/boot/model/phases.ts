// boot/model/phases.ts: into which phases does a boot fall, and when did each begin and end?
import type { BootRecord, ManagerTimes } from './record.ts';

/** In order of time. */
export const PHASE_NAMES = ['firmware', 'loader', 'kernel', 'initrd', 'soft-reboot', 'userspace'] as const;
export type PhaseName = (typeof PHASE_NAMES)[number];

export interface BootPhase {
  name: PhaseName;
  /** On the record's clock: firmware and loader lie before the kernel's zero, so theirs are negative. */
  startUs: number;
  endUs: number;
}

/** In order of time, without gaps between them. An unfinished boot has a userspace phase up to the last thing seen. */
export function phases(record: BootRecord): BootPhase[] {
  const { manager } = record;
  if (!manager || record.clock.zero === 'first-event') return [];
  const userspaceUs = userspaceStartUs(record);
  const found = [...phasesBeforeUserspace(record, manager, userspaceUs)];
  const endUs = userspaceEndUs(record, manager);
  if (endUs > userspaceUs) found.push({ name: 'userspace', startUs: userspaceUs, endUs });
  return found;
}

/** When userspace started, on the record's clock: what systemd-analyze counts its `@` from. */
export function userspaceStartUs(record: BootRecord): number {
  return record.clock.zero === 'kernel' ? (record.manager?.userspaceUs ?? 0) : 0;
}

/** A container (or a user's own manager) shares its host's kernel: what came before userspace is not its own. */
export function sharesHostKernel({ manager, sources }: BootRecord): boolean {
  if (!manager || manager.securityStartUs > 0) return false;
  // Only a source that knows the manager's own stamps can tell "not set" from "not told".
  const knowsStamps = manager.generatorsStartUs > 0 || manager.unitsLoadStartUs > 0;
  return knowsStamps || sources.some((source) => source.kind === 'systemctl-manager');
}

function* phasesBeforeUserspace(record: BootRecord, manager: ManagerTimes, userspaceUs: number): Generator<BootPhase> {
  if (manager.softRebootsCount > 0) {
    // The clock runs on through a soft reboot: firmware, kernel and initrd are those of an earlier boot.
    const startUs = manager.shutdownStartUs;
    if (startUs > 0 && startUs < userspaceUs) yield { name: 'soft-reboot', startUs, endUs: userspaceUs };
    return;
  }
  if (sharesHostKernel(record)) return;
  // On a userspace clock the kernel's zero lies before ours.
  const kernelUs = userspaceUs - manager.userspaceUs;
  const { firmwareUs, loaderUs } = manager;
  const initrdUs = manager.initrdUs <= manager.userspaceUs ? manager.initrdUs : 0; // later than userspace: not a stamp to trust
  if (firmwareUs > loaderUs) yield { name: 'firmware', startUs: kernelUs - firmwareUs, endUs: kernelUs - loaderUs };
  if (loaderUs > 0) yield { name: 'loader', startUs: kernelUs - loaderUs, endUs: kernelUs };
  const kernelEndUs = initrdUs > 0 ? kernelUs + initrdUs : userspaceUs;
  if (kernelEndUs > kernelUs) yield { name: 'kernel', startUs: kernelUs, endUs: kernelEndUs };
  if (initrdUs > 0 && userspaceUs > kernelEndUs) yield { name: 'initrd', startUs: kernelEndUs, endUs: userspaceUs };
}

function userspaceEndUs(record: BootRecord, manager: ManagerTimes): number {
  const shiftUs = userspaceStartUs(record) - manager.userspaceUs;
  if (manager.finishUs > 0) return manager.finishUs + shiftUs;
  let lastUs = 0;
  for (const unit of record.units) lastUs = Math.max(lastUs, unit.activatingUs, unit.activatedUs);
  return lastUs;
}

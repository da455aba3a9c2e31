// boot/model/phases.ts: which phases does a boot have, and when did each begin and end?
import { type BootRecord, isPlaced, type ManagerTimes } from './record.ts';

/** In order of time. */
export const PHASE_NAMES = ['firmware', 'loader', 'kernel', 'initrd', 'soft-reboot', 'userspace'] as const;
export type PhaseName = (typeof PHASE_NAMES)[number];

export interface BootPhase {
  name: PhaseName;
  /** On the record's clock; negative for firmware and loader, which run before the kernel's zero. */
  startUs: number;
  endUs: number;
}

/** In order of time, without gaps. The userspace phase of an unfinished boot ends with the last unit event. */
export function phases(record: BootRecord): BootPhase[] {
  const { manager } = record;
  if (!manager || record.clock.zero === 'first-event') return [];
  const userspaceUs = userspaceStartUs(record);
  const found = [...phasesBeforeUserspace(record, manager, userspaceUs)];
  const endUs = userspaceEndUs(record, manager);
  if (endUs > userspaceUs) found.push({ name: 'userspace', startUs: userspaceUs, endUs });
  return found;
}

/** On the record's clock. The `@` times of systemd-analyze count from here. */
export function userspaceStartUs(record: BootRecord): number {
  return record.clock.zero === 'kernel' ? (record.manager?.userspaceUs ?? 0) : 0;
}

/** What systemd calls the kinds of containers. */
export const CONTAINERS =
  /^(?:lxc|lxc-libvirt|docker|podman|systemd-nspawn|openvz|rkt|wsl|proot|pouch|container-other|containerd|kata)$/;

/** True for a container or a user manager: the phases before userspace belong to the host. */
export function sharesHostKernel({ manager, sources, host }: BootRecord): boolean {
  if (!manager || manager.securityStartUs > 0) return false;
  if (CONTAINERS.test(host.virtualization ?? '')) return true;
  // Only a source that has the manager's stamps can distinguish "not set" from "not reported".
  const knowsStamps = manager.generatorsStartUs > 0 || manager.unitsLoadStartUs > 0;
  return knowsStamps || sources.some((source) => source.kind === 'systemctl-manager');
}

/** When the shutdown before a soft reboot started, which is where the boot starts; 0 = not set. */
export function softRebootStartUs({ previousShutdown, shutdownStartUs }: ManagerTimes): number {
  return previousShutdown ? previousShutdown.startUs : shutdownStartUs;
}

function* phasesBeforeUserspace(record: BootRecord, manager: ManagerTimes, userspaceUs: number): Generator<BootPhase> {
  if (manager.softRebootsCount > 0) {
    // The clock is not reset by a soft reboot: firmware, kernel and initrd belong to an earlier boot.
    const startUs = softRebootStartUs(manager);
    if (startUs > 0 && startUs < userspaceUs) yield { name: 'soft-reboot', startUs, endUs: userspaceUs };
    return;
  }
  if (sharesHostKernel(record)) return;
  // On a userspace clock, kernel start is negative.
  const kernelUs = userspaceUs - manager.userspaceUs;
  const { firmwareUs, loaderUs } = manager;
  const initrdUs = manager.initrdUs <= manager.userspaceUs ? manager.initrdUs : 0; // a stamp later than userspace is wrong
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
  for (const unit of record.units.filter(isPlaced)) lastUs = Math.max(lastUs, unit.activatingUs, unit.activatedUs);
  return lastUs;
}

// boot/compat/systemd/exact/times.ts: how does systemd-analyze adjust the stamps before it prints anything?
import { sharesHostKernel } from '../../../model/phases.ts';
import type { BootRecord, ManagerStamp, ManagerTimes, Unit } from '../../../model/record.ts';
import type { Behaviour } from '../versions.ts';
import { type ToolOutput, toolFailure } from './tool-output.ts';

/** The manager's stamps, reduced by `offsetUs` where the tool does so. */
export interface SystemdBootTimes extends ManagerTimes {
  /** The end of the kernel phase; 0 if this boot did not start the kernel. */
  kernelDoneUs: number;
  offsetUs: number;
  /** Units that started before this are left out; 0 = none are. */
  hidesBeforeUs?: number;
}

export interface UnitTimes {
  name: string;
  unit: Unit;
  activatingUs: number;
  activatedUs: number;
  deactivatingUs: number;
  deactivatedUs: number;
  tookUs: number;
}

export type TimesOrFailure<T> = { stopped: ToolOutput } | T;

const ASSERTION = "systemd-analyze stops here: Assertion '*a >= b' failed (a time stamp lies before userspace started)";

export function acquireBootTimes(
  record: BootRecord,
  behaviour: Behaviour,
  needsFinish: boolean,
): TimesOrFailure<{ boot: SystemdBootTimes }> {
  const { manager } = record;
  if (!manager) return { stopped: toolFailure('Failed to get timestamp properties: no manager in the given input') };
  if (needsFinish && manager.finishUs <= 0) return { stopped: notFinished(manager.finishUs) };
  const { userspaceUs, initrdUs } = manager;
  const shutdownUs = shutdownBeforeUs(manager, behaviour);
  if (behaviour.supportsSoftReboot && manager.softRebootsCount > 0) {
    const times = { ...manager, ...NO_KERNEL, ...NO_INITRD, hidesBeforeUs: shutdownUs };
    return moveBack(times, shutdownUs, [...MOVED, 'userspaceUs']);
  }
  const hidesBeforeUs = behaviour.readsPreviousShutdown ? 0 : shutdownUs;
  const counts = { ...manager, softRebootsCount: 0, hidesBeforeUs };
  if (!sharesHostKernel(record)) {
    return { boot: { ...counts, kernelDoneUs: initrdUs > 0 ? initrdUs : userspaceUs, offsetUs: 0 } };
  }
  return moveBack(
    { ...counts, ...NO_KERNEL, userspaceUs: 0, securityStartUs: 0, securityFinishUs: 0 },
    userspaceUs,
    MOVED,
  );
}

/** The start of the shutdown before this boot, as this version looks it up; 0 = not set. */
function shutdownBeforeUs(manager: ManagerTimes, behaviour: Behaviour): number {
  if (!behaviour.supportsSoftReboot) return 0;
  return behaviour.readsPreviousShutdown ? (manager.previousShutdown?.startUs ?? 0) : manager.shutdownStartUs;
}

const NO_KERNEL = { firmwareUs: 0, loaderUs: 0, kernelUs: 0, initrdUs: 0 };
const NO_INITRD = {
  initrdSecurityStartUs: 0,
  initrdSecurityFinishUs: 0,
  initrdGeneratorsStartUs: 0,
  initrdGeneratorsFinishUs: 0,
  initrdUnitsLoadStartUs: 0,
  initrdUnitsLoadFinishUs: 0,
};
const MOVED = [
  'finishUs',
  'generatorsStartUs',
  'generatorsFinishUs',
  'unitsLoadStartUs',
  'unitsLoadFinishUs',
] as const satisfies ManagerStamp[];

function moveBack(
  times: ManagerTimes,
  offsetUs: number,
  keys: readonly ManagerStamp[],
): TimesOrFailure<{ boot: SystemdBootTimes }> {
  const boot: SystemdBootTimes = { ...times, kernelDoneUs: 0, offsetUs };
  for (const key of keys) {
    if (boot[key] === 0) continue;
    if (boot[key] < offsetUs) return { stopped: toolFailure(ASSERTION) };
    boot[key] -= offsetUs;
  }
  return { boot };
}

/** All units that have started or are starting, in the order of the listing. */
export function acquireTimes(
  record: BootRecord,
  behaviour: Behaviour,
  needsFinish = true,
): TimesOrFailure<{ boot: SystemdBootTimes; units: UnitTimes[] }> {
  const acquired = acquireBootTimes(record, behaviour, needsFinish);
  if ('stopped' in acquired) return acquired;
  const { boot } = acquired;
  const units: UnitTimes[] = [];
  for (const unit of record.units) {
    const times = unitTimes(unit, boot);
    if (times === 'assertion') return { stopped: toolFailure(ASSERTION) };
    if (times && times.activatingUs > 0) units.push(times);
  }
  return { boot, units };
}

function unitTimes(unit: Unit, boot: SystemdBootTimes): UnitTimes | 'assertion' | undefined {
  const { offsetUs, hidesBeforeUs = 0 } = boot;
  let { deactivatingUs, deactivatedUs } = unit;
  const isHidden = (us: number) => us > 0 && us < hidesBeforeUs;
  if (isHidden(unit.activatedUs) || isHidden(unit.activatingUs)) return undefined;
  if (boot.softRebootsCount > 0) {
    if (deactivatingUs < offsetUs) deactivatingUs = 0;
    if (deactivatedUs < offsetUs) deactivatedUs = 0;
  }
  const stamps = [unit.activatingUs, unit.activatedUs, deactivatingUs, deactivatedUs];
  if (stamps.some((us) => us > 0 && us < offsetUs)) return 'assertion';
  const [activating, activated, deactivating, deactivated] = stamps.map((us) => (us > 0 ? us - offsetUs : 0));
  const times = {
    name: unit.name,
    unit,
    activatingUs: activating!,
    activatedUs: activated!,
    deactivatingUs: deactivating!,
    deactivatedUs: deactivated!,
  };
  return { ...times, tookUs: tookUs(times) };
}

function tookUs(times: Omit<UnitTimes, 'tookUs'>): number {
  if (times.activatedUs >= times.activatingUs) return times.activatedUs - times.activatingUs;
  return times.deactivatedUs >= times.activatingUs ? times.deactivatedUs - times.activatingUs : 0;
}

function notFinished(finishUs: number): ToolOutput {
  return toolFailure(
    `Bootup is not yet finished (org.freedesktop.systemd1.Manager.FinishTimestampMonotonic=${finishUs}).\n` +
      "Please try again later.\nHint: Use 'systemctl list-jobs' to see active jobs",
  );
}

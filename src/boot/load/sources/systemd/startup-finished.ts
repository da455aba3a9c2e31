// boot/load/sources/systemd/startup-finished.ts: how long were the boot phases, according to "Startup finished in …"?
import { parseSpan } from '../../../../base/duration.ts';
import type { ManagerTimes } from '../../../model/record.ts';

/** The text has millisecond resolution. Undefined if the sentence is missing. */
export function parseStartupFinished(text: string): ManagerTimes | undefined {
  const [, sentence, total] = /Startup finished in ([^\n=]{1,400})(?:= ([\d.a-z ]{1,60}))?/.exec(text) ?? [];
  if (sentence === undefined) return undefined;
  const phases: Partial<Record<string, number>> = {};
  // No `\s*` around the groups: the groups may contain blanks themselves, and two ways to match them would be slow.
  for (const [, span, phase] of sentence.matchAll(/([^()+]+)\(([a-z ]+)(?:#\d+)?\)/g)) {
    const us = parseSpan(span!);
    if (us !== undefined) phases[phase!.trim()] = us;
  }
  addTruncated(phases, total === undefined ? undefined : parseSpan(total.trim().replace(/\.$/, '')));
  const { firmware = 0, loader = 0, kernel = 0, initrd = 0 } = phases;
  // In a container the sentence has one time span without a phase name.
  const userspace = phases.userspace ?? parseSpan(sentence.replace(/\.\s*$/, ''));
  if (userspace === undefined) return undefined;
  return managerTimes({
    firmwareUs: firmware && firmware + loader,
    loaderUs: loader,
    kernelTookUs: kernel,
    initrdTookUs: initrd,
    userspaceTookUs: userspace,
  });
}

/**
 * systemd cuts each phase and the total to milliseconds, so the phases add up to less than the total. Each gets an equal part of what is
 * missing, which is less than a millisecond: then the total is right, and every phase still prints as in the sentence.
 */
function addTruncated(phases: Partial<Record<string, number>>, totalUs: number | undefined): void {
  const names = Object.keys(phases);
  const missingUs = (totalUs ?? 0) - names.reduce((sum, name) => sum + phases[name]!, 0);
  if (missingUs <= 0 || missingUs >= names.length * 1000) return;
  let restUs = missingUs;
  for (const [at, name] of names.entries()) {
    const us = Math.floor(restUs / (names.length - at));
    phases[name] = phases[name]! + us;
    restUs -= us;
  }
}

export interface PhaseLengths {
  firmwareUs?: number;
  loaderUs?: number;
  kernelTookUs: number;
  initrdTookUs: number;
  userspaceTookUs: number;
}

export function managerTimes(phases: PhaseLengths): ManagerTimes {
  const { kernelTookUs, initrdTookUs, userspaceTookUs, firmwareUs = 0, loaderUs = 0 } = phases;
  const userspaceUs = kernelTookUs + initrdTookUs;
  return {
    ...NO_TIMES,
    firmwareUs,
    loaderUs,
    initrdUs: initrdTookUs > 0 ? kernelTookUs : 0,
    userspaceUs,
    finishUs: userspaceTookUs > 0 ? userspaceUs + userspaceTookUs : 0,
    // systemd-analyze takes an unset SecurityStart for a container. Security set-up is the first thing that PID 1 does
    // in userspace, so use the start of userspace for it; without a kernel phase this is 0.
    securityStartUs: userspaceUs,
    securityFinishUs: userspaceUs,
  };
}

export const NO_TIMES: ManagerTimes = {
  firmwareUs: 0,
  loaderUs: 0,
  kernelUs: 0,
  initrdUs: 0,
  userspaceUs: 0,
  finishUs: 0,
  securityStartUs: 0,
  securityFinishUs: 0,
  generatorsStartUs: 0,
  generatorsFinishUs: 0,
  unitsLoadStartUs: 0,
  unitsLoadFinishUs: 0,
  initrdSecurityStartUs: 0,
  initrdSecurityFinishUs: 0,
  initrdGeneratorsStartUs: 0,
  initrdGeneratorsFinishUs: 0,
  initrdUnitsLoadStartUs: 0,
  initrdUnitsLoadFinishUs: 0,
  shutdownStartUs: 0,
  softRebootsCount: 0,
};

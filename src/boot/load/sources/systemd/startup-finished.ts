// boot/load/sources/systemd/startup-finished.ts: what does a "Startup finished in …" sentence say of the phases?
import { parseSpan } from '../../../../base/duration.ts';
import type { ManagerTimes } from '../../../model/record.ts';

/** From text (millisecond resolution). Undefined when the text has no such sentence. */
export function parseStartupFinished(text: string): ManagerTimes | undefined {
  const sentence = /Startup finished in ([^\n=]{1,400})/.exec(text)?.[1];
  if (sentence === undefined) return undefined;
  const phases: Partial<Record<string, number>> = {};
  // Blanks are matched outside the part that may hold them too: no two ways to match, so no slow text.
  for (const [, span, phase] of sentence.matchAll(/([^()+]+)\(([a-z ]+)(?:#\d+)?\)/g)) {
    const us = parseSpan(span!);
    if (us !== undefined) phases[phase!.trim()] = us;
  }
  const { firmware = 0, loader = 0, kernel = 0, initrd = 0 } = phases;
  // A container's sentence has one span and no phase name.
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
    // An unset SecurityStart means "container" to systemd's own arithmetic. Security set-up is the first thing PID 1
    // does in userspace, so where there was a kernel phase the start of userspace stands in for it.
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

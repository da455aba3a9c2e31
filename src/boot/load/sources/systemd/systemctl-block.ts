// boot/load/sources/systemd/systemctl-block.ts: reads one block of `systemctl show`: a unit or the manager.
import { parseSpan } from '../../../../base/duration.ts';
import type { HostFacts, ManagerTimes, Unit, UsedResources } from '../../../model/record.ts';
import { isName } from './unit-name.ts';

/** 0 = not set (`n/a`, empty, infinity); undefined = not a number. */
export function parseStamp(text: string): number | undefined {
  if (text === '' || text === 'n/a' || text === '[not set]' || text === 'infinity') return 0;
  if (!/^\d+$/.test(text)) return undefined;
  const us = Number(text);
  if (text === '18446744073709551615') return 0;
  return Number.isSafeInteger(us) ? us : undefined;
}

export function wasChecked(values: Map<string, string>): boolean {
  return (parseStamp(values.get('ConditionTimestampMonotonic') ?? '') ?? 0) > 0;
}

export function unitOf(values: Map<string, string>, stamp: (key: string) => number): Unit {
  const name = values.get('Id') ?? '';
  const list = (key: string) => parseNames(values.get(key) ?? '');
  const aliases = list('Names').filter((alias) => alias !== name);
  const text = (field: string, key: string, unless = '') => {
    const value = values.get(key);
    return value !== undefined && value !== '' && value !== unless ? { [field]: value } : {};
  };
  const edges = (field: string, key: string) => (values.has(key) ? { [field]: list(key) } : {});
  // systemctl prints an empty list for every unit that no timer or socket starts.
  const filled = (field: string, key: string) => (values.get(key) ? { [field]: list(key) } : {});
  return {
    name,
    ...(aliases.length > 0 && { aliases }),
    ...text('description', 'Description'),
    ...text('serviceType', 'Type'),
    ...text('loadState', 'LoadState'),
    ...text('activeState', 'ActiveState'),
    ...text('result', 'Result', 'success'),
    // systemctl also prints `no` for a unit whose conditions were never checked.
    ...(values.get('ConditionResult') === 'no' && wasChecked(values) && { conditionFailed: true }),
    activatingUs: stamp('InactiveExitTimestampMonotonic'),
    activatedUs: stamp('ActiveEnterTimestampMonotonic'),
    deactivatingUs: stamp('ActiveExitTimestampMonotonic'),
    deactivatedUs: stamp('InactiveEnterTimestampMonotonic'),
    after: list('After'),
    ...edges('before', 'Before'),
    ...edges('requires', 'Requires'),
    ...edges('requisite', 'Requisite'),
    ...edges('bindsTo', 'BindsTo'),
    ...edges('wants', 'Wants'),
    ...edges('conflicts', 'Conflicts'),
    ...edges('upholds', 'Upholds'),
    ...filled('triggeredBy', 'TriggeredBy'),
    ...filled('triggers', 'Triggers'),
    ...usedOf(values),
    ...(name.endsWith('.device') && jobTimeoutOf(values)),
  };
}

/** systemd before 236 limits the wait for a device with JobTimeoutUSec=. */
function jobTimeoutOf(values: Map<string, string>): { jobTimeoutUs?: number } {
  const limits = ['JobRunningTimeoutUSec', 'JobTimeoutUSec'].map((key) => parseSpan(values.get(key) ?? ''));
  const finite = limits.filter((us) => us !== undefined && us > 0 && Number.isSafeInteger(us)) as number[];
  return finite.length > 0 ? { jobTimeoutUs: Math.min(...finite) } : {};
}

/** Absent without accounting: `[not set]` or, in older versions, 2^64 - 1. */
function usedOf(values: Map<string, string>): { used?: UsedResources } {
  const read = (key: string): number | undefined => {
    const text = values.get(key) ?? '';
    const value = /^\d{1,16}$/.test(text) ? Number(text) : undefined;
    return value !== undefined && Number.isSafeInteger(value) ? value : undefined;
  };
  const [cpuNs, readBytes, writtenBytes] = [read('CPUUsageNSec'), read('IOReadBytes'), read('IOWriteBytes')];
  const peakMemoryBytes = read('MemoryPeak');
  const used = {
    ...(cpuNs !== undefined && { cpuUs: Math.round(cpuNs / 1000) }),
    ...(readBytes !== undefined && { readBytes }),
    ...(writtenBytes !== undefined && { writtenBytes }),
    ...(peakMemoryBytes !== undefined && { peakMemoryBytes }),
  };
  return Object.keys(used).length > 0 ? { used } : {};
}

/** Bounded, so that an unclosed quote cannot make matching slow. */
const WORD = /"((?:[^"\\]|\\.){0,600})"|(\S+)/g;

/** systemctl quotes names with a backslash and doubles the backslash; old versions print them unchanged. */
export function parseNames(text: string): string[] {
  if (!text.includes('"')) return text === '' ? [] : text.split(/\s+/).filter(isName);
  const names: string[] = [];
  for (const [, quoted, plain] of text.matchAll(WORD)) names.push(plain ?? quoted!.replace(/\\(.)/g, '$1'));
  return names.filter(isName);
}

export function managerOf(values: Map<string, string>, stamp: (key: string) => number): ManagerTimes {
  const at = (name: string) => stamp(`${name}TimestampMonotonic`);
  return {
    firmwareUs: at('Firmware'),
    loaderUs: at('Loader'),
    kernelUs: at('Kernel'),
    initrdUs: at('InitRD'),
    userspaceUs: at('Userspace'),
    finishUs: at('Finish'),
    securityStartUs: at('SecurityStart'),
    securityFinishUs: at('SecurityFinish'),
    generatorsStartUs: at('GeneratorsStart'),
    generatorsFinishUs: at('GeneratorsFinish'),
    unitsLoadStartUs: at('UnitsLoadStart'),
    unitsLoadFinishUs: at('UnitsLoadFinish'),
    initrdSecurityStartUs: at('InitRDSecurityStart'),
    initrdSecurityFinishUs: at('InitRDSecurityFinish'),
    initrdGeneratorsStartUs: at('InitRDGeneratorsStart'),
    initrdGeneratorsFinishUs: at('InitRDGeneratorsFinish'),
    initrdUnitsLoadStartUs: at('InitRDUnitsLoadStart'),
    initrdUnitsLoadFinishUs: at('InitRDUnitsLoadFinish'),
    shutdownStartUs: at('ShutdownStart'),
    softRebootsCount: Number.parseInt(values.get('SoftRebootsCount') ?? '0', 10) || 0,
    ...(values.has('PreviousShutdownStartTimestampMonotonic') && {
      previousShutdown: {
        startUs: at('PreviousShutdownStart'),
        finishUs: at('PreviousShutdownFinish'),
        lateStartUs: at('PreviousShutdownLateStart'),
        lateFinishUs: at('PreviousShutdownLateFinish'),
      },
    }),
  };
}

export function hostOf(values: Map<string, string>): HostFacts {
  const { Version, Virtualization, Architecture } = Object.fromEntries(values);
  return {
    ...(Version && { systemdVersion: Version }),
    ...(Virtualization && { virtualization: Virtualization }),
    ...(Architecture && { architecture: Architecture }),
  };
}

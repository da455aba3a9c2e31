// boot/compat/systemd/plot.ts: draws a boot with labelled waits; draws an unfinished boot up to its last known time.
import { formatSpan } from '../../../base/duration.ts';
import { NO_TIMES } from '../../load/sources/systemd/startup-finished.ts';
import { phases, sharesHostKernel, softRebootStartUs, userspaceStartUs } from '../../model/phases.ts';
import { type BootRecord, hasStarted, startTookUs, type Unit } from '../../model/record.ts';
import { waitReason } from '../../model/waits.ts';
import { plotHost } from './exact/plot.ts';
import type { SystemdBootTimes } from './exact/times.ts';
import { drawPlot, type PlotHost, type PlotUnit } from './plot-svg.ts';
import { bootTime, renderTime } from './time.ts';
import { startState, unitLabels } from './unit-state.ts';
import { newestBehaviour } from './versions.ts';

export interface PlotRow {
  unit: string;
  activatingUs: number;
  activatedUs: number;
  deactivatingUs: number;
  deactivatedUs: number;
  tookUs: number;
  state: string;
  wait?: string;
}

/** All units that started, sorted by start; times on the record's clock, 0 = not (yet) happened. */
export function plotRows(record: BootRecord): PlotRow[] {
  return startedUnits(record).map((unit) => {
    const wait = waitReason(unit, record);
    const { name, activatingUs, activatedUs, deactivatingUs, deactivatedUs } = unit;
    const stamps = { activatingUs, activatedUs, deactivatingUs, deactivatedUs };
    return {
      unit: name,
      ...stamps,
      tookUs: startTookUs(unit),
      state: startState(unit),
      ...(wait !== undefined && { wait }),
    };
  });
}

export function renderPlot(record: BootRecord, scale = 1): string {
  const zeroUs = pictureZeroUs(record);
  const units = startedUnits(record).map((unit) => plotUnit(unit, record, zeroUs));
  const time = bootTime(record);
  return drawPlot({
    boot: bootTimes(record, zeroUs),
    units,
    header: escapeXml(time ? renderTime(time).trimEnd() : 'phases unknown'),
    host: escapedHost(plotHost(record)),
    version: escapeXml(record.host.systemdVersion ?? 'unknown').replaceAll('--', '- '),
    behaviour: newestBehaviour(),
    scale,
    isDetailed: false,
  });
}

function startedUnits(record: BootRecord): Unit[] {
  return record.units.filter(hasStarted).sort((a, b) => a.activatingUs - b.activatingUs || (a.name < b.name ? -1 : 1));
}

function plotUnit(unit: Unit, record: BootRecord, zeroUs: number): PlotUnit {
  const move = (us: number) => (us > 0 ? us - zeroUs : 0);
  const tookUs = startTookUs(unit);
  const labels = unitLabels(unit, record)
    .map((label) => ` [${label}]`)
    .join('');
  const escapeAll = (names: string[] | undefined) => names?.map(escapeXml) ?? [];
  return {
    name: escapeXml(unit.name),
    label: escapeXml(`${unit.name}${tookUs > 0 ? ` (${formatSpan(tookUs)})` : ''}${labels}`),
    unit: {
      ...unit,
      after: escapeAll(unit.after),
      before: escapeAll(unit.before),
      requires: escapeAll(unit.requires),
      requisite: escapeAll(unit.requisite),
      wants: escapeAll(unit.wants),
      conflicts: escapeAll(unit.conflicts),
      upholds: escapeAll(unit.upholds),
    },
    activatingUs: move(unit.activatingUs),
    activatedUs: move(unit.activatedUs),
    deactivatingUs: move(unit.deactivatingUs),
    deactivatedUs: move(unit.deactivatedUs),
    tookUs,
  };
}

/** The clock of a container, or of a soft reboot, started long before this boot: start the plot with the boot. */
function pictureZeroUs(record: BootRecord): number {
  const { manager } = record;
  if (manager && manager.softRebootsCount > 0) return softRebootStartUs(manager) || manager.userspaceUs;
  return sharesHostKernel(record) ? userspaceStartUs(record) : 0;
}

function bootTimes(record: BootRecord, zeroUs: number): SystemdBootTimes {
  const found = phases(record);
  const manager = record.manager ?? NO_TIMES;
  let finishUs = found.find((phase) => phase.name === 'userspace')?.endUs ?? 0;
  if (!manager.finishUs)
    for (const unit of record.units) finishUs = Math.max(finishUs, unit.activatingUs, unit.activatedUs);
  const isOwnKernel = zeroUs === 0 && !sharesHostKernel(record);
  const move = (us: number) => (us > 0 ? us - zeroUs : 0);
  return {
    ...manager,
    ...(isOwnKernel ? {} : { firmwareUs: 0, loaderUs: 0, initrdUs: 0, securityStartUs: 0, securityFinishUs: 0 }),
    generatorsStartUs: move(manager.generatorsStartUs),
    generatorsFinishUs: move(manager.generatorsFinishUs),
    unitsLoadStartUs: move(manager.unitsLoadStartUs),
    unitsLoadFinishUs: move(manager.unitsLoadFinishUs),
    softRebootsCount: 0,
    userspaceUs: userspaceStartUs(record) - zeroUs,
    finishUs: Math.max(0, finishUs - zeroUs),
    kernelDoneUs: isOwnKernel ? (found.find((phase) => phase.name === 'kernel')?.endUs ?? 0) : 0,
    offsetUs: zeroUs,
  };
}

function escapedHost(host: PlotHost): PlotHost {
  return Object.fromEntries(
    Object.entries(host).map(([key, text]) => [key, escapeXml(text as string)]),
  ) as unknown as PlotHost;
}

const XML: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' };

/** Unit names and host facts are untrusted: escape markup, and replace characters that XML forbids. */
function escapeXml(text: string): string {
  return text
    .replace(/[<>&"]/g, (c) => XML[c]!)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
}

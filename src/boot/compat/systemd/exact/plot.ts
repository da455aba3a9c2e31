// boot/compat/systemd/exact/plot.ts: what does `systemd-analyze plot` print, byte for byte?
import { formatSpan } from '../../../../base/duration.ts';
import type { BootRecord, HostFacts } from '../../../model/record.ts';
import { drawPlot, type PlotHost } from '../plot-svg.ts';
import { limitToBoot } from '../plot-units.ts';
import type { Behaviour } from '../versions.ts';
import { jsonRows } from './json-rows.ts';
import { bootTimeText } from './time.ts';
import { acquireTimes, type UnitTimes } from './times.ts';
import { type ToolOutput, toolFailure, toolOutput } from './tool-output.ts';

export interface CompatPlotOptions {
  format: 'svg' | 'json-short' | 'json-pretty' | 'table';
  hasLegend: boolean;
  scale: number;
  isDetailed: boolean;
}

export function compatPlot(record: BootRecord, behaviour: Behaviour, options: CompatPlotOptions): ToolOutput {
  if ((options.scale !== 1 || options.isDetailed) && !behaviour.hasPlotScale) {
    return toolFailure(`systemd-analyze ${behaviour.name} has no plot --scale-svg or --detailed`);
  }
  const acquired = acquireTimes(record, behaviour);
  if ('stopped' in acquired) return acquired.stopped;
  const { boot } = acquired;
  if (acquired.units.length === 0) return toolOutput('');
  const units = acquired.units.sort((a, b) => a.activatingUs - b.activatingUs);
  if (options.format !== 'svg') {
    if (!behaviour.hasPlotTable) return toolFailure(`systemd-analyze ${behaviour.name} has no plot --json or --table`);
    return toolOutput(tableText(units, boot.finishUs, options));
  }
  return toolOutput(
    drawPlot({
      boot,
      units: units.map((unit) => ({ ...unit, label: labelOf(unit) })),
      header: bootTimeText(record, boot, behaviour),
      host: plotHost(record),
      version: versionText(record, behaviour),
      behaviour,
      scale: options.scale,
      isDetailed: options.isDetailed,
    }),
  );
}

function labelOf(unit: UnitTimes): string {
  return unit.tookUs > 0 ? `${unit.name} (${formatSpan(unit.tookUs)})` : unit.name;
}

/** Facts that hostnamed and the manager would report. An unknown fact is empty, as without hostnamed. */
export function plotHost({ host }: { host: HostFacts }): PlotHost {
  // "6.1.0-54-cloud-amd64 #1 SMP …": some sources have release and build in one field.
  const [release = '', ...build] = (host.kernel ?? '').replace(/^Linux /, '').split(' ');
  return {
    os: host.os || 'Linux',
    hostname: host.hostname ?? '',
    kernelName: release === '' ? '' : 'Linux',
    kernelRelease: release,
    kernelVersion: host.kernelBuild ?? build.join(' '),
    architecture: host.architecture ?? '',
    virtualization: host.virtualization ?? '',
  };
}

/** The tool prints its own version. `252 (252.39-1)` has the long form in brackets. */
function versionText({ host }: BootRecord, { version, name }: Behaviour): string {
  const text = host.systemdVersion ?? '';
  if (!text.startsWith(String(version))) return name;
  return /\((.+)\)/.exec(text)?.[1] ?? text;
}

const COLUMNS = ['name', 'activated', 'activating', 'time', 'deactivated', 'deactivating'] as const;

function tableText(units: readonly UnitTimes[], finishUs: number, options: CompatPlotOptions): string {
  const rows = units.map((unit) => {
    const limited = limitToBoot(unit, finishUs);
    return {
      name: limited.name,
      activated: limited.activatedUs,
      activating: limited.activatingUs,
      time: limited.tookUs,
      deactivated: limited.deactivatedUs,
      deactivating: limited.deactivatingUs,
    };
  });
  const legend = options.hasLegend ? `\n${rows.length} Units listed.\n` : '';
  if (options.format === 'json-short') return `${jsonRows(rows, 'short')}${legend}`;
  if (options.format === 'json-pretty') return `${jsonRows(rows, 'pretty')}${legend}`;
  return `${alignedTable(rows, options.hasLegend)}${legend}`;
}

function alignedTable(rows: readonly Record<(typeof COLUMNS)[number], string | number>[], hasHeader: boolean): string {
  const cells = rows.map((row) =>
    COLUMNS.map((column) => (typeof row[column] === 'number' ? formatSpan(row[column]) : row[column])),
  );
  if (hasHeader) cells.unshift(COLUMNS.map((column) => column.toUpperCase()));
  const widths = COLUMNS.map((_, column) => cells.reduce((width, line) => Math.max(width, line[column]!.length), 0));
  const last = COLUMNS.length - 1;
  return cells
    .map((line) => `${line.map((cell, i) => (i === last ? cell : cell.padEnd(widths[i]!))).join(' ')}\n`)
    .join('');
}

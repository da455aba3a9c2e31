// boot/compat/systemd/plot-svg.ts: draws a boot like systemd-analyze plot: one row per unit, 100 pixels per second.
import { UserError } from '../../../base/errors.ts';
import { cFixed } from './exact/fixed.ts';
import type { SystemdBootTimes, UnitTimes } from './exact/times.ts';
import { unsigned } from './exact/tool-output.ts';
import { limitToBoot } from './plot-units.ts';
import type { Behaviour } from './versions.ts';

export interface PlotHost {
  os: string;
  hostname: string;
  kernelName: string;
  kernelRelease: string;
  kernelVersion: string;
  architecture: string;
  virtualization: string;
}

export interface PlotUnit extends UnitTimes {
  label: string;
}

export interface PlotInput {
  boot: SystemdBootTimes;
  /** In order of activating. */
  units: PlotUnit[];
  header: string;
  host: PlotHost;
  version: string;
  behaviour: Behaviour;
  /** 1 = 100 pixels per second. */
  scale: number;
  isDetailed: boolean;
}

const ROW_PX = 20;
/** The plot has one grid line per tenth of a second: a longer boot would give gigabytes of lines. */
const MAX_BOOT_US = 7 * 24 * 3600e6;

export function drawPlot(input: PlotInput): string {
  const { boot, behaviour } = input;
  const spanUs = boot.firmwareUs + boot.finishUs;
  if (spanUs > MAX_BOOT_US) {
    throw new UserError('this boot took more than a week: too long to draw', {
      code: 'boot/plot-too-long',
      next: 'check the manager’s timestamps: `headstart boot systemd time` with the same input prints them',
      exitCode: 1,
    });
  }
  const pen = new Pen((0.1 * input.scale) / 1000);
  const shown = input.units.filter((unit) => unit.activatingUs <= boot.finishUs);
  const units = shown.map((unit) => limitToBoot(unit, boot.finishUs));
  const width = plotWidth(boot, shown, pen.pxPerUs);
  const rows = 1 + phaseRows(boot) + units.length;

  writeHead(pen, input, { width, rows });
  writeGrid(pen, boot, rows);
  writePhases(pen, boot);
  const firstInUserspace = units.findIndex((unit) => unit.activatingUs >= boot.userspaceUs);
  const split = firstInUserspace < 0 ? units.length : firstInUserspace;
  for (const unit of units.slice(0, split)) writeUnit(pen, unit, width, behaviour);
  writeManager(pen, boot, input.isDetailed);
  for (const unit of units.slice(split)) writeUnit(pen, unit, width, behaviour);
  pen.write('</g>\n');
  writeLegend(pen, boot);
  pen.write('</svg>\n');
  return pen.text();
}

class Pen {
  readonly pxPerUs: number;
  row = 0;
  private readonly parts: string[] = [];

  constructor(pxPerUs: number) {
    this.pxPerUs = pxPerUs;
  }

  write(text: string): void {
    this.parts.push(text);
  }

  /** The real tool subtracts unsigned numbers, so a missing stamp gives a huge bar. */
  bar(kind: string, fromUs: number, toUs: number): void {
    const lengthUs = fromUs < 0 ? toUs - fromUs : unsigned(toUs - fromUs);
    const x = cFixed(this.pxPerUs * fromUs, 3);
    const y = cFixed(ROW_PX * this.row, 3);
    const width = cFixed(this.pxPerUs * lengthUs, 3);
    this.write(`  <rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${cFixed(ROW_PX - 1, 3)}" />\n`);
  }

  label(side: 'left' | 'right', atUs: number, text: string): void {
    const x = cFixed(this.pxPerUs * atUs + (side === 'left' ? 5 : -5), 3);
    this.write(`  <text class="${side}" x="${x}" y="${cFixed(ROW_PX * this.row + 14, 3)}">${text}</text>\n`);
  }

  text(): string {
    return this.parts.join('');
  }
}

/** Widens the plot for names that do not fit left of their bar. */
function plotWidth(boot: SystemdBootTimes, units: readonly PlotUnit[], pxPerUs: number): number {
  let width = Math.max(800, pxPerUs * (boot.firmwareUs + boot.finishUs));
  if (boot.loaderUs > 0) width = Math.max(1000, width);
  for (const unit of units) {
    const textWidth = 8 * new TextEncoder().encode(unit.name).length;
    const textStart = (boot.firmwareUs + unit.activatingUs) * pxPerUs;
    if (textWidth > textStart && textWidth + textStart > width) width = textWidth + textStart;
  }
  return width;
}

function phaseRows(boot: SystemdBootTimes): number {
  const rows = [boot.firmwareUs > boot.loaderUs, boot.loaderUs > 0, boot.initrdUs > 0, boot.kernelDoneUs > 0];
  return rows.filter(Boolean).length;
}

function writeHead(pen: Pen, input: PlotInput, { width, rows }: { width: number; rows: number }): void {
  const { host, boot } = input;
  const size = `width="${cFixed(80 + width, 0)}px" height="${cFixed(150 + rows * ROW_PX + 5 * ROW_PX, 0)}px"`;
  pen.write(
    '<?xml version="1.0" standalone="no"?>\n' +
      '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n' +
      `<svg ${size} version="1.1" xmlns="http://www.w3.org/2000/svg">\n\n` +
      '<!-- This file is a systemd-analyze SVG file. It is best rendered in a   -->\n' +
      '<!-- browser such as Chrome, Chromium or Firefox. Other applications     -->\n' +
      '<!-- that render these files properly but much slower are ImageMagick,   -->\n' +
      '<!-- gimp, inkscape, etc. To display the files on your system, just      -->\n' +
      '<!-- point your browser to this file.                                    -->\n\n' +
      `<!-- This plot was generated by systemd-analyze version ${input.version.slice(0, 16).padEnd(16)} -->\n\n` +
      `${STYLE}<rect class="background" width="100%" height="100%" />\n` +
      `<text x="20" y="50">${input.header}</text>` +
      `<text x="20" y="30">${host.os} ${host.hostname} (${host.kernelName} ${host.kernelRelease} ${host.kernelVersion}) ` +
      `${host.architecture} ${host.virtualization}</text>` +
      `<g transform="translate(${cFixed(20 + pen.pxPerUs * boot.firmwareUs, 3)},100)">\n`,
  );
}

const GREY = 'fill: rgb(150,150,150); fill-opacity: 0.7;';
const STYLE = `<defs>
  <style type="text/css">
    <![CDATA[
      rect       { stroke-width: 1; stroke-opacity: 0; }
      rect.background   { fill: rgb(255,255,255); }
      rect.activating   { fill: rgb(255,0,0); fill-opacity: 0.7; }
      rect.active       { fill: rgb(200,150,150); fill-opacity: 0.7; }
      rect.deactivating { fill: rgb(150,100,100); fill-opacity: 0.7; }
      rect.kernel       { ${GREY} }
      rect.initrd       { ${GREY} }
      rect.firmware     { ${GREY} }
      rect.loader       { ${GREY} }
      rect.userspace    { ${GREY} }
      rect.security     { fill: rgb(144,238,144); fill-opacity: 0.7; }
      rect.generators   { fill: rgb(102,204,255); fill-opacity: 0.7; }
      rect.unitsload    { fill: rgb( 82,184,255); fill-opacity: 0.7; }
      rect.box   { fill: rgb(240,240,240); stroke: rgb(192,192,192); }
      line       { stroke: rgb(64,64,64); stroke-width: 1; }
//    line.sec1  { }
      line.sec5  { stroke-width: 2; }
      line.sec01 { stroke: rgb(224,224,224); stroke-width: 1; }
      text       { font-family: Verdana, Helvetica; font-size: 14px; }
      text.left  { font-family: Verdana, Helvetica; font-size: 14px; text-anchor: start; }
      text.right { font-family: Verdana, Helvetica; font-size: 14px; text-anchor: end; }
      text.sec   { font-size: 10px; }
    ]]>
   </style>
</defs>

`;

function writeGrid(pen: Pen, boot: SystemdBootTimes, rows: number): void {
  const beginUs = boot.softRebootsCount > 0 ? 0 : -boot.firmwareUs;
  const height = cFixed(ROW_PX * rows, 3);
  pen.write(
    `<rect class="box" x="0" y="0" width="${cFixed(pen.pxPerUs * (boot.finishUs - beginUs), 3)}" height="${height}" />\n`,
  );
  for (let us = Math.trunc(beginUs / 1e5) * 1e5; us <= boot.finishUs; us += 1e5) {
    const x = cFixed(pen.pxPerUs * us, 3);
    const kind = us % 5e6 === 0 ? 'sec5' : us % 1e6 === 0 ? 'sec1' : 'sec01';
    pen.write(`  <line class="${kind}" x1="${x}" y1="0" x2="${x}" y2="${height}" />\n`);
    if (kind !== 'sec01') pen.write(`  <text class="sec" x="${x}" y="-5.000" >${cFixed(0.000001 * us, 1)}s</text>\n`);
  }
}

function writePhases(pen: Pen, boot: SystemdBootTimes): void {
  const phase = (name: string, fromUs: number, toUs: number) => {
    pen.bar(name, fromUs, toUs);
    if (name === 'initrd') writeInitrdParts(pen, boot);
    pen.label('left', fromUs, name);
    pen.row++;
  };
  if (boot.firmwareUs > 0) phase('firmware', -boot.firmwareUs, -boot.loaderUs);
  if (boot.loaderUs > 0) phase('loader', -boot.loaderUs, 0);
  if (boot.kernelDoneUs > 0) phase('kernel', 0, boot.kernelDoneUs);
  if (boot.initrdUs > 0) phase('initrd', boot.initrdUs, boot.userspaceUs);
  if (boot.softRebootsCount > 0) phase('soft-reboot', 0, boot.userspaceUs);
}

function writeInitrdParts(pen: Pen, boot: SystemdBootTimes): void {
  const part = (kind: string, fromUs: number, toUs: number) => {
    if (fromUs < toUs) pen.bar(kind, fromUs, toUs);
  };
  part('security', boot.initrdSecurityStartUs, boot.initrdSecurityFinishUs);
  part('generators', boot.initrdGeneratorsStartUs, boot.initrdGeneratorsFinishUs);
  part('unitsload', boot.initrdUnitsLoadStartUs, boot.initrdUnitsLoadFinishUs);
}

function writeManager(pen: Pen, boot: SystemdBootTimes, isDetailed: boolean): void {
  pen.bar('active', boot.userspaceUs, boot.finishUs);
  if (boot.securityStartUs > 0) pen.bar('security', boot.securityStartUs, boot.securityFinishUs);
  pen.bar('generators', boot.generatorsStartUs, boot.generatorsFinishUs);
  pen.bar('unitsload', boot.unitsLoadStartUs, boot.unitsLoadFinishUs);
  pen.label('left', boot.userspaceUs, 'systemd');
  if (isDetailed) {
    const ms = Math.floor((boot.userspaceUs % 1e6) / 1000);
    const text = `${Math.floor(boot.userspaceUs / 1e6)}.${String(ms).padStart(3, '0')}s`;
    pen.label('right', boot.userspaceUs, text);
  }
  pen.row++;
}

function writeUnit(pen: Pen, unit: PlotUnit, width: number, behaviour: Behaviour): void {
  if (behaviour.hasTooltips) pen.write(`<g>\n<title>${tooltip(unit, behaviour)}</title>\n`);
  pen.bar('activating', unit.activatingUs, unit.activatedUs);
  pen.bar('active', unit.activatedUs, unit.deactivatingUs);
  pen.bar('deactivating', unit.deactivatingUs, unit.deactivatedUs);
  pen.label(unit.activatingUs * pen.pxPerUs < width / 2 ? 'left' : 'right', unit.activatingUs, unit.label);
  if (behaviour.hasTooltips) pen.write('</g>\n');
  pen.row++;
}

function tooltip({ name, unit, activatingUs, activatedUs }: PlotUnit, behaviour: Behaviour): string {
  const lines = [`${name}:\n`];
  if (behaviour.hasTooltipTimes) {
    const digits = behaviour.padsMicros ? 6 : 3;
    lines.push(
      `Activating: ${tooltipStamp(activatingUs, digits)}\n`,
      `Activated: ${tooltipStamp(activatedUs, digits)}\n`,
    );
  }
  const edges: [string, string[] | undefined][] = [
    ['After', unit.after],
    ['Before', unit.before],
    ['Requires', unit.requires],
    ['Requisite', unit.requisite],
    ['Wants', unit.wants],
    ['Conflicts', unit.conflicts],
    ['Upholds', unit.upholds],
  ];
  for (const [kind, names] of edges) {
    if (names && names.length > 0) lines.push(`\n${kind}:\n${names.map((other) => `  ${other}\n`).join('')}`);
  }
  return lines.join('');
}

/** Seconds, a dot, and the number of microseconds: with three digits, 12 s 45 µs is the wrong `12.045`. */
function tooltipStamp(us: number, digits: number): string {
  return `${Math.floor(us / 1e6)}.${String(us % 1e6).padStart(digits, '0')}`;
}

function writeLegend(pen: Pen, boot: SystemdBootTimes): void {
  pen.write('<g transform="translate(20,100)">\n');
  pen.row++;
  const entries: [string, string][] = [
    ['activating', 'Activating'],
    ['active', 'Active'],
    ['deactivating', 'Deactivating'],
    ...(boot.securityStartUs > 0 ? ([['security', 'Setting up security module']] as [string, string][]) : []),
    ['generators', 'Generators'],
    ['unitsload', 'Loading unit files'],
  ];
  for (const [kind, text] of entries) {
    pen.bar(kind, 0, 300_000);
    pen.label('left', 400_000, text);
    pen.row++;
  }
  pen.write('</g>\n\n');
}

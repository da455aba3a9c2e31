// boot/render/report/colours.ts: which colour has a row, a segment, a group? The part of the boot decides, everywhere on the page.
import type { ReportView } from '../report-data.ts';
import type { Line } from './lines.ts';

type Group = ReportView['segments'][number]['group'];

/** Names of `--src-…` in base.css. */
const GROUP_COLOURS: Readonly<Record<Group, string>> = {
  platform: 'platform',
  kernel: 'kernel',
  'early units': 'systemd',
  'cloud-init': 'cloud-init',
  agents: 'node-config',
  'later units': 'systemd',
  kubelet: 'kubelet',
  cluster: 'cluster',
};

export function groupColour(group: Group): string {
  return GROUP_COLOURS[group];
}

/** A module of cloud-init has the colour of its unit. */
export function lineColour(line: Line): string {
  let top = line;
  while (top.parent) top = top.parent;
  return top.isGroup ? GROUP_COLOURS[top.name as Group] : line.source;
}

// boot/render/report-view.ts: what does the HTML report show about one boot?

import { everySpan } from '../model/all-spans.ts';
import { milestonesOf } from '../model/milestones.ts';
import type { BootClock, BootRecord, HostFacts, Milestone, Span } from '../model/record.ts';
import { chain } from '../questions/chain.ts';
import { type Timeline, timeline } from '../questions/timeline.ts';
import type { Fact, ReportPhase, ReportView } from './report-data.ts';
import { reportPhases, reportRows } from './report-rows.ts';

export function reportView(record: BootRecord, label: string): ReportView {
  const milestones = milestonesOf(record);
  const bootPhases = reportPhases(record, milestones);
  const spans = everySpan(record);
  const { totalUs = 0, waitUs = 0, endsAt = 'an unknown end' } = timeline(record);
  return {
    label,
    host: record.host.nodeName ?? record.host.hostname ?? label,
    zero: record.clock.zero,
    ...(record.clock.wallAtZeroUs !== undefined && { wallAtZeroUs: record.clock.wallAtZeroUs }),
    startUs: startOf(bootPhases, milestones, spans),
    endUs: endOf(endsAt, spans, milestones),
    totalUs,
    totalOf: `${firstThing(record, milestones, bootPhases[0])} to ${endsAt}`,
    waitUs,
    facts: factsOf(record),
    inputs: inputsOf(record),
    phases: bootPhases,
    milestones: milestones.map(({ name, atUs, errorUs, detail }) => ({
      name,
      atUs,
      ...(errorUs !== undefined && { errorUs }),
      ...(detail !== undefined && { detail }),
    })),
    rows: reportRows(record, bootPhases, spans),
    path: chain(record)
      .map(({ id, name, source, startUs, endUs, gapUs }) => ({ id, name, source, startUs, endUs, gapUs }))
      .reverse(),
    notes: record.notes,
  };
}

const ZERO_NAMES: Readonly<Record<BootClock['zero'], string>> = {
  kernel: 'kernel start',
  userspace: 'userspace start',
  'first-event': 'first event',
};

function firstThing(record: BootRecord, milestones: readonly Milestone[], first: ReportPhase | undefined): string {
  if (milestones[0]?.name === 'vm-created') return 'VM creation';
  return first ? `${first.name} start` : ZERO_NAMES[record.clock.zero];
}

function endOf(endsAt: Timeline['endsAt'], spans: readonly Span[], milestones: readonly Milestone[]): number {
  const end = milestones.find((milestone) => milestone.name === endsAt);
  if (end) return end.atUs;
  let lastUs = 0;
  for (const span of spans) lastUs = Math.max(lastUs, span.endUs);
  for (const milestone of milestones) lastUs = Math.max(lastUs, milestone.atUs);
  return lastUs;
}

function startOf(...lists: readonly { startUs?: number; atUs?: number }[][]): number {
  let startUs = 0;
  for (const { startUs: at, atUs } of lists.flat()) startUs = Math.min(startUs, at ?? atUs ?? 0);
  return startUs;
}

/** Without the machine id: systemd documents it as confidential, and reports are shared. */
const FACT_NAMES: readonly (readonly [keyof HostFacts, string])[] = [
  ['nodeName', 'node'],
  ['hostname', 'host'],
  ['os', 'system'],
  ['kernel', 'kernel'],
  ['architecture', 'architecture'],
  ['virtualization', 'virtualization'],
  ['cloud', 'cloud'],
  ['systemdVersion', 'systemd'],
  ['cloudInitVersion', 'cloud-init'],
  ['kubeletVersion', 'kubelet'],
  ['vmId', 'VM id'],
];

function factsOf(record: BootRecord): Fact[] {
  const facts: Fact[] = FACT_NAMES.flatMap(([key, name]) => {
    const value = record.host[key];
    return value === undefined ? [] : [{ name, value }];
  });
  if (record.bootId !== undefined) facts.push({ name: 'boot id', value: record.bootId });
  return facts;
}

/** Reports are shared, so paths do not include the folders of this machine. */
function inputsOf({ sources }: BootRecord): Fact[] {
  const folders = sources.map(({ input }) => input.split('/').slice(0, -1));
  const shared = folders.reduce((common, folder) => {
    const differsAt = common.findIndex((part, at) => part !== folder[at]);
    return differsAt < 0 ? common : common.slice(0, differsAt);
  }, folders[0] ?? []);
  const dropped = shared.slice(0, -1).join('/').length;
  return sources.map(({ kind, input }) => ({ name: kind, value: input.slice(dropped).replace(/^\//, '') }));
}

// boot/render/report-view.ts: what does the HTML report show about one boot?

import { everySpan } from '../model/all-spans.ts';
import { milestonesOf } from '../model/milestones.ts';
import type { BootClock, BootRecord, HostFacts, Milestone, Span } from '../model/record.ts';
import { compareBoots } from '../questions/compare.ts';
import { answerSentence, type BootFinding, findings, quoted } from '../questions/path/findings.ts';
import { pathSegments } from '../questions/path/path-segments.ts';
import { BOOT_LETTERS } from './report/page-state.ts';
import { againstFirst } from './report-against.ts';
import type { Fact, PathChange, ReportPhase, ReportView } from './report-data.ts';
import { reportPhases, reportRows } from './report-rows.ts';

export interface NamedBoot {
  record: BootRecord;
  label: string;
  /** As the user would type them; none if this machine was read. */
  inputs?: readonly string[];
}

/** All boots are compared with the first. */
export function reportViews(boots: readonly NamedBoot[]): ReportView[] {
  const [first, ...others] = boots.map(({ record, label, inputs }) => reportView(record, label, inputs));
  if (!first) return [];
  const compared = others.map((view, at) => {
    const changed = { ...view, changes: pathChanges(boots[0]!.record, boots[at + 1]!.record) };
    return { ...changed, against: againstFirst(first, changed, BOOT_LETTERS[at + 1] ?? '') };
  });
  return [first, ...compared];
}

export function reportView(record: BootRecord, label: string, inputs: readonly string[] = []): ReportView {
  const milestones = milestonesOf(record);
  const bootPhases = reportPhases(record, milestones);
  const spans = everySpan(record);
  const path = pathSegments(record);
  const { endsAt } = path;
  return {
    label,
    host: record.host.nodeName ?? record.host.hostname ?? label,
    zero: record.clock.zero,
    ...(record.clock.wallAtZeroUs !== undefined && { wallAtZeroUs: record.clock.wallAtZeroUs }),
    startUs: startOf(bootPhases, milestones, spans),
    endUs: endOf(endsAt, spans, milestones),
    totalUs: path.endUs - path.startUs,
    totalOf:
      path.segments.length === 0
        ? 'is the total: no input measures it'
        : `${firstThing(record, milestones, bootPhases[0])} to ${endsAt}`,
    sentence: answerSentence(path),
    segments: path.segments,
    findings: findings(record, path).map((finding) => ({ ...finding, command: commandOf(finding, inputs) })),
    facts: factsOf(record),
    inputs: inputsOf(record),
    milestones: milestones.map(({ name, atUs, errorUs, detail }) => ({
      name,
      atUs,
      ...(errorUs !== undefined && { errorUs }),
      ...(detail !== undefined && { detail }),
    })),
    rows: reportRows(record, bootPhases, spans),
    path: path.links.map(({ id, name, source, startUs, endUs, gapUs }) => ({
      id,
      name,
      source,
      startUs,
      endUs,
      gapUs,
    })),
    notes: record.notes,
  };
}

/** To collect again needs no input. */
function commandOf({ kind, command }: BootFinding, inputs: readonly string[]): string {
  const given = kind === 'gap' ? [] : inputs.map((input) => ` -i ${quoted(input)}`);
  return `headstart ${command}${given.join('')}`;
}

/** Largest contribution first, without parts: their time is in the span that contains them. */
function pathChanges(before: BootRecord, after: BootRecord): PathChange[] {
  return compareBoots([before], [after])
    .changes.filter(({ onPath, inside, explainsUs }) => onPath !== 'no' && inside === undefined && explainsUs !== 0)
    .sort((a, b) => Math.abs(b.explainsUs) - Math.abs(a.explainsUs) || (a.id < b.id ? -1 : 1))
    .map(({ id, name, change, beforeUs, afterUs, explainsUs, share }) => ({
      id,
      name,
      change,
      ...(beforeUs !== undefined && { beforeUs }),
      ...(afterUs !== undefined && { afterUs }),
      explainsUs,
      ...(share !== undefined && { share }),
    }));
}

const ZERO_NAMES: Readonly<Record<BootClock['zero'], string>> = {
  kernel: 'kernel start',
  userspace: 'userspace start',
  'first-event': 'first event',
  claim: 'claim',
};

function firstThing(record: BootRecord, milestones: readonly Milestone[], first: ReportPhase | undefined): string {
  if (milestones[0]?.name === 'vm-created') return 'VM creation';
  return first ? `${first.name} start` : ZERO_NAMES[record.clock.zero];
}

function endOf(endsAt: string, spans: readonly Span[], milestones: readonly Milestone[]): number {
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

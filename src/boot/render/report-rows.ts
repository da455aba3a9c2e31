// boot/render/report-rows.ts: which rows does the waterfall of one boot have? Phases and systemd's own steps, then all spans.
import { unitSpanId } from '../model/all-spans.ts';
import { type PhaseName, phases, userspaceStartUs } from '../model/phases.ts';
import type { BootRecord, ManagerStamp, Milestone, Span, SpanSource } from '../model/record.ts';
import { groupsOf } from '../questions/path/boot-groups.ts';
import type { ReportPhase, ReportRow } from './report-data.ts';

export function reportRows(
  record: BootRecord,
  bootPhases: readonly ReportPhase[],
  spans: readonly Span[],
): ReportRow[] {
  const first = [...phaseRows(bootPhases), ...managerRows(record)];
  const indexes = new Map(spans.map((span, index) => [span.id, first.length + index]));
  const endUs = (index: number) => spans[index - first.length]!.endUs;
  const ids = new Map(
    record.units.flatMap((u) => [u.name, ...(u.aliases ?? [])].map((name) => [name, unitSpanId(u.name)])),
  );
  const phaseIds = new Set(first.map(({ id }) => id));
  const names = new Map(spans.map(({ id, name }) => [id, name]));
  const after = new Map(record.units.map((unit) => [unitSpanId(unit.name), unit.after]));
  const rows = spans.map((span) => {
    const before = (after.get(span.id) ?? [])
      .map((unit) => indexes.get(ids.get(unit) ?? ''))
      .filter((index) => index !== undefined)
      .sort((a, b) => endUs(b) - endUs(a) || a - b);
    const parent = span.parent ?? (phaseIds.has(`phase:${span.source}`) ? `phase:${span.source}` : undefined);
    return {
      ...rowOf(span, before),
      name: nameInside(names.get(span.parent ?? ''), span.name),
      ...(parent !== undefined && { parent }),
    };
  });
  const groupOf = groupsOf(spans);
  return [...first, ...rows].map((row) => (row.parent === undefined ? { ...row, group: groupOf(row) } : row));
}

/** Under its parent `modules-final`, `modules-final/config-runcmd` is called `config-runcmd`. */
function nameInside(parent: string | undefined, name: string): string {
  const isPart = parent !== undefined && name.startsWith(parent) && /^[/.]./.test(name.slice(parent.length));
  return isPart ? name.slice(parent.length + 1) : name;
}

function rowOf({ id, name, source, startUs, endUs, wait, result, detail }: Span, after: number[]): ReportRow {
  return {
    id,
    name,
    source,
    startUs,
    endUs: Math.max(startUs, endUs),
    ...(wait !== undefined && { wait }),
    ...(result !== undefined && result !== 'ok' && { result }),
    ...(detail !== undefined && { detail }),
    ...(after.length > 0 && { after }),
  };
}

const PHASE_SOURCES: Readonly<Record<PhaseName, SpanSource>> = {
  firmware: 'firmware',
  loader: 'loader',
  kernel: 'kernel',
  initrd: 'initrd',
  'soft-reboot': 'systemd',
  userspace: 'systemd',
};

/** The creation of the VM is a wait, because the platform does it before the node runs. */
export function reportPhases(record: BootRecord, milestones: readonly Milestone[]): ReportPhase[] {
  const found: ReportPhase[] = phases(record).map(({ name, startUs, endUs }) => ({
    name,
    source: PHASE_SOURCES[name],
    startUs,
    endUs,
  }));
  const created = milestones.find(({ name }) => name === 'vm-created');
  const endUs = found[0]?.startUs ?? milestones.find(({ name }) => name === 'kernel-start')?.atUs;
  if (!created || endUs === undefined || created.atUs >= endUs) return found;
  const wait = 'platform: VM being created';
  return [{ name: 'VM creation', source: 'platform', startUs: created.atUs, endUs, wait }, ...found];
}

/** No row for userspace, because the rows of units and spans are its parts. */
function phaseRows(bootPhases: readonly ReportPhase[]): ReportRow[] {
  return bootPhases
    .filter(({ name }) => name !== 'userspace')
    .map((phase) => ({ id: `phase:${phase.name}`, ...phase, detail: 'phase of the boot' }));
}

const MANAGER_STEPS: readonly (readonly [name: string, start: ManagerStamp, end: ManagerStamp])[] = [
  ['initrd: security policy', 'initrdSecurityStartUs', 'initrdSecurityFinishUs'],
  ['initrd: generators', 'initrdGeneratorsStartUs', 'initrdGeneratorsFinishUs'],
  ['initrd: load units', 'initrdUnitsLoadStartUs', 'initrdUnitsLoadFinishUs'],
  ['security policy', 'securityStartUs', 'securityFinishUs'],
  ['generators', 'generatorsStartUs', 'generatorsFinishUs'],
  ['load units', 'unitsLoadStartUs', 'unitsLoadFinishUs'],
];

/** systemd's work before the first unit starts. Without these rows, a slow machine shows a gap of seconds. */
function managerRows(record: BootRecord): ReportRow[] {
  const { manager } = record;
  if (!manager) return [];
  const shiftUs = userspaceStartUs(record) - manager.userspaceUs;
  return MANAGER_STEPS.flatMap(([name, start, end]) => {
    const startUs = manager[start];
    const endUs = manager[end];
    if (startUs <= 0 || endUs <= startUs) return [];
    const row = { id: `manager:${name}`, name: `systemd: ${name}`, source: 'systemd' as const };
    return [{ ...row, startUs: startUs + shiftUs, endUs: endUs + shiftUs, detail: 'before the first unit starts' }];
  });
}

// boot/questions/history.ts: how did one machine's boots develop over time, and at which boot did something change?
import { milestonesOf } from '../model/milestones.ts';
import { phases } from '../model/phases.ts';
import { type BootRecord, type HostFacts, hasStarted } from '../model/record.ts';

export const FIGURES = [
  'firmware',
  'loader',
  'kernel',
  'initrd',
  'userspace',
  'total',
  'cloud-init',
  'node-ready',
] as const;
export type Figure = (typeof FIGURES)[number];

export interface PastBoot {
  bootId?: string;
  /** Wall clock at kernel start, µs since 1970. */
  startedAtUs?: number;
  /** Durations; node-ready counts from kernel start. */
  tookUs: Partial<Record<Figure, number>>;
  changes: HistoryChange[];
}

export type HistoryChange =
  | { what: 'slower' | 'faster'; figure: Figure; fromUs: number; toUs: number; comparedBoots: number }
  | { what: 'fact'; fact: keyof HostFacts; from: string; to: string }
  | { what: 'new-units' | 'gone-units'; units: string[] };

/** Oldest first, input and output. Each boot is compared only with earlier boots, so later boots do not change its result. */
export function history(records: readonly BootRecord[]): PastBoot[] {
  const past = records.map(pastBoot);
  for (const figure of FIGURES) flagFigure(past, figure);
  flagFacts(records, past);
  flagUnits(records, past);
  return past;
}

function pastBoot(record: BootRecord): PastBoot {
  return {
    ...(record.bootId !== undefined && { bootId: record.bootId }),
    ...(record.clock.wallAtZeroUs !== undefined && { startedAtUs: record.clock.wallAtZeroUs }),
    tookUs: figuresOf(record),
    changes: [],
  };
}

function figuresOf(record: BootRecord): Partial<Record<Figure, number>> {
  const took: Partial<Record<Figure, number>> = {};
  const found = phases(record);
  for (const { name, startUs, endUs } of found) if (isFigure(name)) took[name] = endUs - startUs;
  const first = found[0];
  const last = found.at(-1);
  if (first && last?.name === 'userspace') took.total = last.endUs - first.startUs;
  const milestones = new Map(milestonesOf(record).map((m) => [m.name, m.atUs]));
  const [start, end] = [milestones.get('cloud-init-activated'), milestones.get('cloud-init-finished')];
  if (start !== undefined && end !== undefined && end >= start) took['cloud-init'] = end - start;
  const ready = milestones.get('node-ready');
  if (ready !== undefined && record.clock.zero === 'kernel') took['node-ready'] = ready;
  return took;
}

function isFigure(name: string): name is Figure {
  return (FIGURES as readonly string[]).includes(name);
}

const COMPARED_BOOTS = 10;
const LEAST_CHANGE_US = 500_000;
const LEAST_SHARE = 0.1;
const DEVIATIONS = 3;

/**
 * Flags a boot that differs from the median of the boots before it by more than their spread explains. If the next boot agrees with
 * it, that one is not flagged: the two are the new level that later boots are compared with.
 */
function flagFigure(past: readonly PastBoot[], figure: Figure): void {
  let level: number[] = [];
  let justFlagged: number | undefined;
  for (const boot of past) {
    const tookUs = boot.tookUs[figure];
    if (tookUs === undefined) continue;
    const compared = level.slice(-COMPARED_BOOTS);
    const fromUs = median(compared);
    const before = justFlagged;
    justFlagged = undefined;
    level.push(tookUs);
    if (fromUs === undefined || !isAway(tookUs, fromUs, compared)) continue;
    if (before !== undefined && !isAway(tookUs, before, [before])) {
      level = [before, tookUs];
      continue;
    }
    const what = tookUs > fromUs ? 'slower' : 'faster';
    boot.changes.push({ what, figure, fromUs, toUs: tookUs, comparedBoots: compared.length });
    justFlagged = tookUs;
  }
}

function isAway(valueUs: number, middleUs: number, seen: readonly number[]): boolean {
  const spreadUs = median(seen.map((value) => Math.abs(value - middleUs))) ?? 0;
  return Math.abs(valueUs - middleUs) > Math.max(DEVIATIONS * spreadUs, LEAST_SHARE * middleUs, LEAST_CHANGE_US);
}

function median(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const FACTS: readonly (keyof HostFacts)[] = [
  'os',
  'kernel',
  'systemdVersion',
  'cloudInitVersion',
  'kubeletVersion',
  'virtualization',
  'vmId',
  'machineId',
];

function flagFacts(records: readonly BootRecord[], past: readonly PastBoot[]): void {
  const known: Partial<Record<keyof HostFacts, string>> = {};
  records.forEach(({ host }, i) => {
    for (const fact of FACTS) {
      const to = host[fact];
      if (to === undefined) continue;
      const from = known[fact];
      if (from !== undefined && from !== to) past[i]!.changes.push({ what: 'fact', fact, from, to });
      known[fact] = to;
    }
  });
}

/** Units created at run time for a user, pod or device. They appear and disappear without a change of the boot. */
const PASSING =
  /^(?:run-|user-runtime-dir@|user@|session-|getty@|serial-getty@|modprobe@|systemd-fsck@|cri-|docker-|kubepods)/;

/** New: in none of the compared boots · gone: in all of them, but not in this one. */
function flagUnits(records: readonly BootRecord[], past: readonly PastBoot[]): void {
  const services = records.map(startedServices);
  services.forEach((now, i) => {
    const before = services.slice(Math.max(0, i - COMPARED_BOOTS), i).filter((units) => units.size > 0);
    if (before.length === 0 || now.size === 0) return;
    const fresh = [...now].filter((unit) => !before.some((units) => units.has(unit)));
    const gone = [...before[0]!].filter((unit) => !now.has(unit) && before.every((units) => units.has(unit)));
    if (fresh.length > 0) past[i]!.changes.push({ what: 'new-units', units: fresh.sort() });
    if (gone.length > 0) past[i]!.changes.push({ what: 'gone-units', units: gone.sort() });
  });
}

function startedServices({ units }: BootRecord): Set<string> {
  const services = units.filter(
    (unit) => hasStarted(unit) && unit.name.endsWith('.service') && !PASSING.test(unit.name),
  );
  return new Set(services.map((unit) => unit.name));
}

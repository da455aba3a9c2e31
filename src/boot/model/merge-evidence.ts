// boot/model/merge-evidence.ts: how do several pieces of evidence become one boot record? Times that cannot be aligned are left out, with a note.
import { formatSpan } from '../../base/duration.ts';
import { silentTimeouts } from './causes/silent-timeouts.ts';
import { chooseClock } from './choose-clock.ts';
import { type BootCluster, clusterBoots, type EvidenceGroup } from './cluster-boots.ts';
import { fromContainerStart, onHostClock } from './container-clock.ts';
import type { ClaimEvidence, Evidence, SourceKind } from './evidence.ts';
import { mergeJoinSpans, mergeMilestones } from './joining-spans.ts';
import { KUBELET_UNIT } from './known-units.ts';
import { mergeUnits, type PlacedEvidence } from './merge-units.ts';
import { BOOT_API_VERSION, type BootRecord, type HostFacts, type Milestone, type Note, type Span } from './record.ts';
import { BEFORE_CLAIM, beforeClaim, sinceClaim } from './since-claim.ts';

export function mergeEvidence(groups: readonly EvidenceGroup[]): BootRecord[] {
  const onOneClock = groups.map((group) => ({ ...group, evidence: onHostClock(group.evidence) }));
  const finished = groups.flatMap((group) => group.evidence.flatMap((piece) => piece.finished ?? []));
  const others = onOneClock.map((group) => ({ ...group, evidence: group.evidence.filter((piece) => !piece.finished) }));
  return [...clusterBoots(others).flatMap(bootsOf), ...finished];
}

/** One boot; two records if the instance was parked in it and claimed later. */
function bootsOf(cluster: BootCluster): BootRecord[] {
  const claim = cluster.evidence.find((piece) => piece.claim)?.claim;
  if (!claim) return [fromContainerStart(mergeOne(cluster))];
  const evidence = cluster.evidence.map((piece) => beforeClaim(piece, claim));
  const before = mergeOne({ ...cluster, evidence }, claim);
  return [{ ...before, name: BEFORE_CLAIM }, sinceClaim(before, claim, cluster.evidence)];
}

/** Sources of a family report the same spans: the first one with spans provides them, the others only add facts. */
const FAMILIES: readonly (readonly SourceKind[])[] = [
  ['boot-record'],
  ['cloud-init-log', 'cloud-init-dump', 'kvp', 'cloud-init-output'],
  ['journal-json', 'journal-export', 'journal-text', 'dmesg', 'console-log'],
  ['extension-event', 'provision-json'],
  ['cluster-events', 'kubernetes-node'],
];

/** What these leave unknown, another source of the family may know. */
const COARSE: ReadonlySet<SourceKind> = new Set(['console-log', 'cloud-init-output']);

function mergeOne(cluster: BootCluster, claim?: ClaimEvidence): BootRecord {
  const evidence = cluster.evidence.toSorted((a, b) => rank(a.kind) - rank(b.kind));
  const notes: Note[] = [];
  const manager = evidence.find((e) => e.manager)?.manager;
  const clock = chooseClock(evidence, manager?.userspaceUs);
  for (const step of clock.map?.steps ?? []) {
    // The guest's clock is set when it is woken.
    if (claim && step.atMonotonicUs > claim.facts.ranUs - claim.facts.errorUs) continue;
    notes.push({
      level: 'warning',
      text: `the wall clock jumped by ${formatSpan(step.byUs)} at ${formatSpan(step.atMonotonicUs)} after kernel start (a time service, or the VM was paused); both sides are aligned separately`,
    });
  }

  const placed: PlacedEvidence[] = [];
  for (const piece of evidence) {
    const shift = clock.shiftOf(piece);
    if (shift) placed.push({ evidence: piece, shift: notBeforeKernelStart(piece, shift, clock.errorUs ?? 0) });
    else notes.push(unplacedNote(piece));
  }
  const units = mergeUnits(placed);
  const isUnused = (e: Evidence) => units.unused.has(e.kind) || (COARSE.has(e.kind) && !providesSpans(e, placed));
  const notesOf = (e: Evidence) => [...e.notes, ...((units.complete ?? e.kind) === e.kind ? (e.unitNotes ?? []) : [])];
  notes.unshift(...evidence.filter((e) => !isUnused(e)).flatMap(notesOf));
  const milestones = mergeMilestones(
    placed.flatMap(({ evidence: piece, shift }) => [
      ...(piece.monotonic?.milestones ?? []),
      ...piece.milestones.map((m) => ({
        ...m,
        atUs: shift(m.atUs),
        ...(clock.map && piece.clock === 'wall' && errorOf(m, clock.map.errorUs)),
      })),
    ]),
  );
  const spanProviders = placed.filter(({ evidence: piece }) => providesSpans(piece, placed));
  const record: BootRecord = {
    apiVersion: BOOT_API_VERSION,
    kind: 'BootRecord',
    ...(cluster.bootId !== undefined && { bootId: cluster.bootId }),
    ...nameOf(evidence),
    host: mergeHost(evidence),
    clock: {
      zero: clock.zero,
      ...(clock.wallAtZeroUs !== undefined && { wallAtZeroUs: clock.wallAtZeroUs }),
      ...(clock.errorUs !== undefined && { errorUs: clock.errorUs }),
    },
    ...(manager && { manager }),
    units: units.units,
    spans: uniqueIds(
      mergeJoinSpans(
        [
          ...units.spans,
          ...withoutCopies(
            spanProviders.map(({ evidence: piece, shift }) => [
              ...(piece.monotonic?.spans ?? []),
              ...piece.spans.map((span) => moveSpan(span, shift)),
            ]),
          ),
        ],
        milestones,
        firstUpUs(placed, KUBELET_UNIT),
      ),
    ),
    milestones,
    sources: evidence.map(({ kind, input }) => ({ kind, input })),
    notes,
  };
  return { ...record, spans: [...record.spans, ...silentTimeouts(record)] };
}

function nameOf(evidence: readonly Evidence[]): { name?: string } {
  const name = evidence.find((piece) => piece.name !== undefined)?.name;
  return name === undefined ? {} : { name };
}

/** A line of the node's own log is not from before its kernel start, though the relation of the clocks may be off by its error. */
function notBeforeKernelStart(piece: Evidence, shift: (us: number) => number, errorUs: number): (us: number) => number {
  if (piece.clock !== 'wall' || !OWN_LOGS.has(piece.kind)) return shift;
  return (us) => {
    const atUs = shift(us);
    return atUs <= 0 && atUs > -errorUs - RESOLUTION_US ? 1 : atUs;
  };
}

const OWN_LOGS: ReadonlySet<SourceKind> = new Set(['journal-text', 'cloud-init-log']);
const RESOLUTION_US = 1e6;

/** A time of the wall clock is as inexact as the relation of the two clocks. */
function errorOf({ errorUs = 0 }: Milestone, clockErrorUs: number): { errorUs?: number } {
  return clockErrorUs < EXACT_US ? {} : { errorUs: errorUs + clockErrorUs };
}

const EXACT_US = 1000;

/** The journal has the first start, the manager only the last one. */
function firstUpUs(placed: readonly PlacedEvidence[], name: string): number | undefined {
  const upUs = placed.flatMap(({ evidence: { units = [] }, shift }) =>
    units.filter((unit) => unit.name === name && unit.activatedUs > 0).map(({ activatedUs }) => shift(activatedUs)),
  );
  return upUs.length > 0 ? Math.min(...upUs) : undefined;
}

function rank(kind: SourceKind): number {
  return RANK.get(kind) ?? RANK.size;
}

/** Most trusted first, for facts that several sources report. */
const RANK = new Map(
  (
    [
      'boot-record',
      'systemctl-manager',
      'systemctl-units',
      'journal-json',
      'journal-export',
      'cloud-init-log',
      'cloud-init-dump',
      'journal-text',
      'analyze-plot-svg',
      'analyze-plot-json',
      'analyze-time',
      'analyze-critical-chain',
      'analyze-blame',
      'dmesg',
      'console-log',
      'cloud-init-output',
      'kvp',
      'extension-event',
      'provision-json',
      'nodeadm-log',
      'cluster-events',
      'kubernetes-node',
      'kubelet-metrics',
      'vm-start',
      'claim',
      'node-steps',
      'host-facts',
    ] satisfies SourceKind[]
  ).map((kind, index) => [kind as SourceKind, index] as const),
);

function unplacedNote(piece: Evidence): Note {
  const known = piece.clock === 'wall' ? 'wall-clock times only' : 'times since userspace only';
  const missing = piece.clock === 'wall' ? 'the wall clock to the kernel clock' : 'userspace to kernel start';
  return {
    level: 'warning',
    text: `${piece.input} (${piece.kind}) has ${known}, and no input relates ${missing}: its times are left out. Add \`systemctl show\` of the manager or a journal of the same boot.`,
  };
}

function providesSpans(piece: Evidence, placed: readonly PlacedEvidence[]): boolean {
  // kubelet's log has the same steps with exact times.
  if (piece.kind === 'kubelet-metrics') {
    const hasLog = ({ evidence: { kind, spans } }: PlacedEvidence) =>
      kind !== 'kubelet-metrics' && spans.some(({ source }) => source === 'kubelet');
    return !placed.some(hasLog);
  }
  const family = FAMILIES.find((kinds) => kinds.includes(piece.kind));
  if (!family) return true;
  const present = (kind: SourceKind) => placed.some((p) => p.evidence.kind === kind && hasSpans(p.evidence));
  return family.find(present) === piece.kind || !family.some(present);
}

function hasSpans({ spans, monotonic }: Evidence): boolean {
  return spans.length > 0 || (monotonic?.spans.length ?? 0) > 0;
}

function moveSpan(span: Span, shift: (us: number) => number): Span {
  const startUs = shift(span.startUs);
  return { ...span, startUs, endUs: Math.max(startUs, shift(span.endUs)) };
}

/** Two inputs may contain the same log: spans of the same name and times count once. */
function withoutCopies(pieces: readonly Span[][]): Span[] {
  const seen = new Set<string>();
  return pieces.flatMap((spans) => {
    const fresh = spans.filter(({ id, startUs, endUs }) => !seen.has(`${id} ${startUs} ${endUs}`));
    for (const { id, startUs, endUs } of spans) seen.add(`${id} ${startUs} ${endUs}`);
    return fresh;
  });
}

function uniqueIds(spans: Span[]): Span[] {
  const seen = new Map<string, number>();
  return spans.map((span) => {
    const count = (seen.get(span.id) ?? 0) + 1;
    seen.set(span.id, count);
    return count === 1 ? span : { ...span, id: `${span.id}#${count}` };
  });
}

function mergeHost(evidence: readonly Evidence[]): HostFacts {
  return Object.assign({}, ...evidence.map((e) => e.host ?? {}).reverse()) as HostFacts;
}

// boot/model/since-claim.ts: splits what is known about a standby instance: its boot until it was parked, on the kernel's clock, and what
// followed its claim, counted from the claim. The time in between is in neither.
import type { ClaimEvidence, Evidence, SourceKind } from './evidence.ts';
import { mergeMilestones } from './joining-spans.ts';
import { BOOT_API_VERSION, type BootRecord, type Milestone, moveUnit, type Note, type Span } from './record.ts';

export const GAUGES_BEFORE_CLAIM =
  "kubelet's start-up gauges were measured before the instance was parked: not used for what followed the claim";

/** Names of the two records of one kernel. */
export const BEFORE_CLAIM = 'until it was parked';
export const SINCE_CLAIM = 'since its claim';

/** The piece without what came after the instance was parked. */
export function beforeClaim(piece: Evidence, { facts, parkedWallUs }: ClaimEvidence): Evidence {
  const isBefore = (clock: Evidence['clock']) => (us: number, errorUs: number) =>
    clock === 'wall' ? us + errorUs < parkedWallUs : us < facts.ranUs + facts.errorUs;
  const its = isBefore(piece.clock);
  const monotonic = isBefore('monotonic');
  return {
    ...piece,
    spans: piece.spans.filter(({ startUs }) => its(startUs, 0)),
    milestones: piece.milestones.filter(({ atUs, errorUs = 0 }) => its(atUs, errorUs)),
    ...(piece.monotonic && {
      monotonic: {
        spans: piece.monotonic.spans.filter(({ startUs }) => monotonic(startUs, 0)),
        milestones: piece.monotonic.milestones.filter(({ atUs }) => monotonic(atUs, 0)),
      },
    }),
  };
}

/** `before`: the record on the kernel's clock. `evidence`: all of this kernel, on its own clocks. */
export function sinceClaim(before: BootRecord, claim: ClaimEvidence, evidence: readonly Evidence[]): BootRecord {
  const { facts, claimedWallUs, thawedWallUs, wallErrorUs } = claim;
  const shifts: Partial<Record<Evidence['clock'], (us: number) => number>> = {
    wall: (us) => us - claimedWallUs,
    monotonic: (us) => us - facts.ranUs + (thawedWallUs - claimedWallUs),
  };
  const found = evidence
    .filter(({ kind }) => !MEASURED_BEFORE.has(kind))
    .map((piece) => after(piece, shifts, facts.ranUs));
  const wallMilestones = claim.milestones.map((one) => ({ ...one, atUs: one.atUs - claimedWallUs }));
  const isNodeMade = wallMilestones.some(({ name }) => name === 'node-created');
  const milestones = mergeMilestones([...wallMilestones, ...found.flatMap((one) => one.milestones)]).filter(
    // The command created the Node, so its stamp says nothing about kubelet.
    ({ name }) => name !== 'vm-created' && !(isNodeMade && name === 'node-registered'),
  );
  const moveMonotonic = shifts.monotonic!;
  const isOnKernelClock = before.clock.zero === 'kernel';
  return {
    apiVersion: BOOT_API_VERSION,
    kind: 'BootRecord',
    ...(before.bootId !== undefined && { bootId: before.bootId }),
    name: SINCE_CLAIM,
    host: before.host,
    clock: { zero: 'claim', wallAtZeroUs: claimedWallUs, errorUs: wallErrorUs },
    units: isOnKernelClock
      ? before.units
          .filter(({ activatingUs }) => activatingUs > facts.ranUs)
          .map((unit) => moveUnit(unit, moveMonotonic))
      : [],
    spans: [...claimSpans(milestones, facts.tier), ...found.flatMap((one) => one.spans)],
    milestones,
    claim: facts,
    sources: before.sources,
    notes: notesOf(evidence),
  };
}

/** Of a claimed instance only the record since its claim: the boot before it was parked delayed no pod. */
export function withoutPreparations(records: readonly BootRecord[]): BootRecord[] {
  const isPreparation = ({ name }: BootRecord, next: BootRecord | undefined) =>
    name === BEFORE_CLAIM && next?.claim !== undefined;
  return records.filter((record, i) => !isPreparation(record, records[i + 1]));
}

/** kubelet sets its gauges once, for its first registration. */
const MEASURED_BEFORE: ReadonlySet<SourceKind> = new Set(['kubelet-metrics']);

/** What the claim's own steps tell in more detail. */
const RETOLD: ReadonlySet<string> = new Set(['cluster:become-ready', 'kubelet:become-ready']);

function after(
  { clock, spans, milestones, monotonic }: Evidence,
  shifts: Partial<Record<Evidence['clock'], (us: number) => number>>,
  ranUs: number,
): { spans: Span[]; milestones: Milestone[] } {
  const moved = (of: Evidence['clock'], all: { spans: Span[]; milestones: Milestone[] }) => {
    const shift = shifts[of];
    if (!shift) return { spans: [], milestones: [] };
    const isAfter = (us: number, errorUs: number) => (of === 'wall' ? shift(us) + errorUs >= 0 : us > ranUs);
    return {
      spans: all.spans
        .filter(({ id, startUs }) => isAfter(startUs, 0) && !RETOLD.has(id))
        .map((span) => ({ ...span, startUs: shift(span.startUs), endUs: shift(span.endUs) })),
      milestones: all.milestones
        .filter(({ atUs, errorUs = 0 }) => isAfter(atUs, errorUs))
        // A stamp in whole seconds may be from before the claim.
        .map((one) => ({ ...one, atUs: Math.max(0, shift(one.atUs)) })),
    };
  };
  const own = moved(clock, { spans, milestones });
  const extra = moved('monotonic', monotonic ?? { spans: [], milestones: [] });
  return { spans: [...own.spans, ...extra.spans], milestones: [...own.milestones, ...extra.milestones] };
}

export const CLAIM_STEP = 'claim:';

/** One step after the other; creating the Node runs next to them. A step whose end is unknown is left out. */
function claimSpans(milestones: readonly Milestone[], tier: 'paused' | 'frozen'): Span[] {
  const at = new Map<string, number>(milestones.map(({ name, atUs }) => [name, atUs]));
  const spans: Span[] = [];
  const add = (id: string, span: Omit<Span, 'id' | 'startUs' | 'endUs'>, startUs?: number, endUs?: number) => {
    if (startUs !== undefined && endUs !== undefined && endUs >= startUs)
      spans.push({ id: `${CLAIM_STEP}${id}`, ...span, startUs, endUs });
  };
  const thaw = tier === 'frozen' ? 'load its memory and continue' : 'continue its process';
  add('thaw', { name: thaw, source: 'platform' }, at.get('claimed'), at.get('thawed'));
  add('wake', { name: 'set its clock, close old connections', source: 'platform' }, at.get('thawed'), at.get('woken'));
  add('node', { name: 'create its Node', source: 'cluster' }, at.get('claimed'), at.get('node-created'));
  const isPrecise = (milestones.find(({ name }) => name === 'node-ready')?.errorUs ?? 0) < PRECISE_US;
  const fromUs = Math.max(at.get('woken') ?? at.get('thawed') ?? 0, at.get('node-created') ?? 0);
  if (isPrecise) add('report', { name: 'reconnect and report Ready', source: 'kubelet' }, fromUs, at.get('node-ready'));
  return spans;
}

/** A claim takes about a second: a stamp in whole seconds does not measure a part of it. */
const PRECISE_US = 500_000;

const ABOUT_CLAIMS: ReadonlySet<SourceKind> = new Set(['claim', 'cluster-events', 'kubernetes-node']);

function notesOf(evidence: readonly Evidence[]): Note[] {
  const hasGauges = evidence.some(({ kind, milestones }) => MEASURED_BEFORE.has(kind) && milestones.length > 0);
  return [
    ...evidence.filter(({ kind }) => ABOUT_CLAIMS.has(kind)).flatMap(({ notes }) => notes),
    ...(hasGauges ? [{ level: 'warning' as const, text: GAUGES_BEFORE_CLAIM }] : []),
  ];
}

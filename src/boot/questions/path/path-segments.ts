// boot/questions/path/path-segments.ts: of what does the total consist? Work, waits and unexplained gaps that add up to it exactly.

import { everySpan } from '../../model/all-spans.ts';
import { inInitrd } from '../../model/causes/initrd.ts';
import { milestonesOf } from '../../model/milestones.ts';
import { phases, userspaceStartUs } from '../../model/phases.ts';
import type { BootRecord, Span, SpanSource } from '../../model/record.ts';
import { PERSON_WAIT } from '../../model/waits.ts';
import { type ChainLink, chain, chainTarget } from '../chain.ts';
import { timeline } from '../timeline.ts';
import { type BootGroup, groupsOf } from './boot-groups.ts';

export interface PathSegment {
  /** Of a span, `phase:NAME`, `manager:NAME`; absent for a gap. A span with a wait in its middle has several segments. */
  id?: string;
  name: string;
  kind: 'work' | 'wait' | 'gap';
  source: SpanSource;
  group: BootGroup;
  startUs: number;
  endUs: number;
  /** The reason of a wait. */
  wait?: string;
  /** Why it failed, if it did: `timed out after 1min 30s`. */
  failure?: string;
}

export interface BootPath {
  startUs: number;
  endUs: number;
  /** As in `timeline`; `last event` also if no total is measured. */
  endsAt: string;
  /** First to last, without holes and overlaps: from `startUs` to `endUs`. */
  segments: PathSegment[];
  /** The links of the critical path, first to last. */
  links: ChainLink[];
}

type Piece = Omit<PathSegment, 'group'>;

export function pathSegments(record: BootRecord): BootPath {
  const { rows, totalUs = 0, endsAt = 'last event' } = timeline(record);
  const startUs = rows.reduce((first, row) => Math.min(first, row.startUs ?? first), rows[0]?.startUs ?? 0);
  const endUs = startUs + totalUs;
  const target = endsAt === 'last event' ? chainTarget(record) : endsAt;
  const links = chain(record, target).filter((link) => link.startUs < endUs || link.endUs <= endUs);
  const pieces = filled([...beforeUnits(record), ...linkPieces(links)], { startUs, endUs, endsAt });
  const groupOf = groupsOf(everySpan(record));
  return {
    startUs,
    endUs,
    endsAt,
    segments: pieces.map((piece) => ({ ...piece, group: groupOf(piece) })),
    links: links.reverse(),
  };
}

/** Later pieces of the list win where two overlap: the path is followed from its end. */
function filled(pieces: readonly Piece[], { startUs, endUs, endsAt }: Omit<BootPath, 'segments' | 'links'>): Piece[] {
  const found: Piece[] = [];
  let untilUs = endUs;
  let next: Piece | undefined;
  const gapTo = (fromUs: number) => {
    if (fromUs >= untilUs) return;
    const name = next ? `before ${next.name}` : endsAt === 'last event' ? 'until the last event' : `until ${endsAt}`;
    found.push({ name, kind: 'gap', source: next?.source ?? 'systemd', startUs: fromUs, endUs: untilUs });
  };
  for (const piece of [...pieces].reverse()) {
    const toUs = Math.min(piece.endUs, untilUs);
    const fromUs = Math.max(piece.startUs, startUs);
    if (piece.startUs === piece.endUs && toUs === piece.endUs && toUs >= startUs) {
      gapTo(toUs);
      untilUs = toUs;
      next = piece;
    }
    if (fromUs >= toUs) continue;
    gapTo(toUs);
    found.push({ ...piece, startUs: fromUs, endUs: toUs });
    untilUs = fromUs;
    next = piece;
  }
  gapTo(startUs);
  return found.reverse();
}

/** In order of time: the creation of the VM, the phases before userspace, and systemd's steps before its first unit. */
function beforeUnits(record: BootRecord): Piece[] {
  const milestones = milestonesOf(record);
  const before = phases(record).flatMap(({ name, startUs, endUs }): Piece[] => {
    if (name === 'userspace') return [];
    const source: SpanSource = name === 'soft-reboot' ? 'systemd' : name;
    const whole = { id: `phase:${name}`, name, source, startUs, endUs };
    return withWaits(whole, name === 'initrd' ? personWaits(record) : []);
  });
  const createdUs = milestones.find(({ name }) => name === 'vm-created')?.atUs;
  const runsUs = before[0]?.startUs ?? milestones.find(({ name }) => name === 'kernel-start')?.atUs;
  if (createdUs !== undefined && runsUs !== undefined && createdUs < runsUs) {
    const wait = 'platform: VM being created';
    const name = 'VM creation';
    before.unshift({
      id: `phase:${name}`,
      name,
      kind: 'wait',
      source: 'platform',
      startUs: createdUs,
      endUs: runsUs,
      wait,
    });
  }
  return [...before, ...managerSteps(record)];
}

/** The real root starts after the initrd, so the time until a person typed a passphrase there is on the path. */
function personWaits(record: BootRecord): Span[] {
  return inInitrd(record, everySpan(record)).filter(({ wait }) => wait === PERSON_WAIT);
}

const STEPS = [
  ['security policy', 'securityStartUs', 'securityFinishUs'],
  ['generators', 'generatorsStartUs', 'generatorsFinishUs'],
  ['load units', 'unitsLoadStartUs', 'unitsLoadFinishUs'],
] as const;

function managerSteps(record: BootRecord): Piece[] {
  const { manager } = record;
  if (!manager || record.clock.zero === 'first-event') return [];
  const shiftUs = userspaceStartUs(record) - manager.userspaceUs;
  return STEPS.flatMap(([name, start, end]): Piece[] => {
    const [startUs, endUs] = [manager[start], manager[end]];
    if (startUs <= 0 || endUs <= startUs) return [];
    const id = `manager:${name}`;
    return [
      {
        id,
        name: `systemd: ${name}`,
        kind: 'work',
        source: 'systemd',
        startUs: startUs + shiftUs,
        endUs: endUs + shiftUs,
      },
    ];
  }).sort((a, b) => a.startUs - b.startUs);
}

/** First to last. A wait inside a link divides its work. */
function linkPieces(links: readonly ChainLink[]): Piece[] {
  return links.toReversed().flatMap((link) => {
    const { id, name, source, startUs, endUs, wait, failure } = link;
    const whole = { id, name, source, startUs, endUs, ...(failure !== undefined && { failure }) };
    if (wait !== undefined) return [{ ...whole, kind: 'wait' as const, wait }];
    return withWaits(
      whole,
      link.inside.filter((span) => span.wait !== undefined),
    );
  });
}

function withWaits(whole: Omit<Piece, 'kind'>, waits: readonly Span[]): Piece[] {
  const { startUs, endUs } = whole;
  const pieces: Piece[] = [];
  let fromUs = startUs;
  for (const span of separate(waits)) {
    const [waitUs, untilUs] = [Math.max(span.startUs, fromUs), Math.min(span.endUs, endUs)];
    if (waitUs >= untilUs) continue;
    if (waitUs > fromUs) pieces.push({ ...whole, kind: 'work', startUs: fromUs, endUs: waitUs });
    pieces.push(waitPiece(span, waitUs, untilUs));
    fromUs = untilUs;
  }
  if (fromUs < endUs || pieces.length === 0) pieces.push({ ...whole, kind: 'work', startUs: fromUs, endUs });
  return pieces;
}

function waitPiece({ id, name, source, wait, failure }: Span, startUs: number, endUs: number): Piece {
  return {
    ...{ id, name, kind: 'wait', source, startUs, endUs },
    ...(wait !== undefined && { wait }),
    ...(failure !== undefined && { failure }),
  };
}

/** By start; a wait inside a longer one is the same time. */
function separate(waits: readonly Span[]): Span[] {
  return [...waits].sort((a, b) => a.startUs - b.startUs || b.endUs - a.endUs);
}

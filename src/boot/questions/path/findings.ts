// boot/questions/path/findings.ts: which three things on the critical path are worth a look first, and what would each save?
import { formatSpan } from '../../../base/duration.ts';
import { UserError } from '../../../base/errors.ts';
import { unitSpanId } from '../../model/all-spans.ts';
import { type BootRecord, type Span, startTookUs, type Unit } from '../../model/record.ts';
import type { ChainLink } from '../chain.ts';
import { shortName } from '../edit-names.ts';
import { renderEdit, type WhatIfEdit } from '../edits.ts';
import { whatIf } from '../what-if.ts';
import type { BootPath, PathSegment } from './path-segments.ts';

export interface BootFinding {
  kind: PathSegment['kind'];
  /** The span, or what follows the gap. */
  name: string;
  /** The unit or stage that contains it, if it is a part. */
  inside?: string;
  /** Row to show; absent for a gap. */
  id?: string;
  startUs: number;
  endUs: number;
  /** Its time on the critical path. */
  tookUs: number;
  saving: FindingSaving;
  /** Arguments of `headstart` that continue from here, without the inputs. */
  command: string;
}

/** `of`: until what the saving was computed. `note`: what the edit would break, or why it saves less. */
export type FindingSaving = { savedUs: number; of: string; note?: string } | { unknown: string };

/** A part is named instead of the whole if it took at least this share of it. */
const MAIN_SHARE = 0.4;
/** A shorter wait is not worth one of three findings. */
const LEAST_WAIT_SHARE = 0.02;
/** Durations of an edit are typed in whole milliseconds. */
const ROUNDING_US = 1000;

/** Largest work, largest wait, and the largest gap or the next largest work; fewer if the boot has no such time. */
export function findings(record: BootRecord, path: BootPath): BootFinding[] {
  const works = largestFirst(path.segments.filter(({ kind }) => kind === 'work'));
  const [wait] = largestFirst(path.segments.filter(({ kind }) => kind === 'wait')).filter(
    ({ tookUs }) => tookUs >= (path.endUs - path.startUs) * LEAST_WAIT_SHARE,
  );
  const [gap] = largestFirst(path.segments.filter(({ kind }) => kind === 'gap'));
  const [first, second] = works;
  const third = gap && gap.tookUs >= (second?.tookUs ?? 0) ? gap : (second ?? gap);
  const chosen = [first, wait, third, works[wait ? 2 : 1]].filter((one) => one !== undefined);
  return [...new Set(chosen)].slice(0, 3).map((place) => findingOf(record, path, place));
}

interface Place {
  segment: PathSegment;
  tookUs: number;
}

/** A wait divides a link into several segments: they count together. Gaps are separate. */
function largestFirst(segments: readonly PathSegment[]): Place[] {
  const places = new Map<string, Place>();
  for (const segment of segments) {
    const key = segment.id ?? `gap:${segment.startUs}`;
    const place = places.get(key) ?? { segment: { ...segment }, tookUs: 0 };
    place.tookUs += segment.endUs - segment.startUs;
    place.segment.endUs = segment.endUs;
    places.set(key, place);
  }
  return [...places.values()].sort((a, b) => b.tookUs - a.tookUs || a.segment.startUs - b.segment.startUs);
}

function findingOf(record: BootRecord, path: BootPath, { segment, tookUs }: Place): BootFinding {
  const { kind, startUs, endUs } = segment;
  if (kind === 'gap') return gapFinding(segment, tookUs);
  const link = path.links.find(({ id, inside }) => id === segment.id || inside.some((span) => span.id === segment.id));
  const part = kind === 'work' && link ? mainPart(link) : undefined;
  const named = part ?? segment;
  const partUs = part ? workUs(part, link!) : tookUs;
  const inside = link && named.id !== link.id ? link.name : undefined;
  const unit = link && unitOf(record, link);
  return {
    kind,
    name: inside === undefined ? named.name : shortName(named),
    ...(inside !== undefined && { inside }),
    ...(named.id !== undefined && { id: named.id }),
    startUs: part?.startUs ?? startUs,
    endUs: part?.endUs ?? endUs,
    tookUs: partUs,
    ...savingAndCommand(record, path, { unit, link, part, partUs, segment }),
  };
}

function gapFinding({ name, startUs, endUs }: PathSegment, tookUs: number): BootFinding {
  const saving = { unknown: 'no input says what happened in this time' };
  return { kind: 'gap', name, startUs, endUs, tookUs, saving, command: 'boot collect -o boot.tar.gz' };
}

/** The innermost part that took most of the link. */
function mainPart(link: ChainLink): Span | undefined {
  let main: Span | undefined;
  let insideUs = workUs(link, link);
  for (;;) {
    const parts = link.inside.filter(
      (span) => (main ? span.parent === main.id : isOutermost(span, link)) && span.wait === undefined,
    );
    const [longest] = parts.sort((a, b) => workUs(b, link) - workUs(a, link));
    if (!longest || workUs(longest, link) < insideUs * MAIN_SHARE) return main;
    main = longest;
    insideUs = workUs(longest, link);
  }
}

function isOutermost(span: Span, link: ChainLink): boolean {
  return span.parent === undefined || !link.inside.some(({ id }) => id === span.parent);
}

/** Without the waits inside, and only while the link lasts. */
function workUs(span: { id: string; startUs: number; endUs: number }, link: ChainLink): number {
  let us = 0;
  let atUs = Math.max(span.startUs, link.startUs);
  const endUs = Math.min(span.endUs, link.endUs);
  for (const wait of link.inside.filter((one) => one.wait !== undefined).sort((a, b) => a.startUs - b.startUs)) {
    us += Math.max(0, Math.min(wait.startUs, endUs) - atUs);
    atUs = Math.max(atUs, wait.endUs);
  }
  return us + Math.max(0, endUs - atUs);
}

/** The link's unit, unless systemd recorded another start of it than the one on the path. */
function unitOf(record: BootRecord, link: ChainLink): Unit | undefined {
  const unit = record.units.find(({ name }) => unitSpanId(name) === link.id);
  return unit && unit.activatingUs === link.startUs && startTookUs(unit) === link.endUs - link.startUs
    ? unit
    : undefined;
}

interface Reach {
  unit: Unit | undefined;
  link: ChainLink | undefined;
  part: Span | undefined;
  partUs: number;
  segment: PathSegment;
}

function savingAndCommand(
  record: BootRecord,
  path: BootPath,
  { unit, link, part, partUs, segment }: Reach,
): Pick<BootFinding, 'saving' | 'command'> {
  const { name } = part ?? segment;
  const steps: WhatIfEdit[] = [...new Set([shortName({ name }), name])].map((one) => ({ kind: 'without', unit: one }));
  const whole: WhatIfEdit[] = unit ? [{ kind: 'set', unit: unit.name, tookUs: remainingUs(unit, partUs) }] : [];
  // A unit that is left out takes its orderings with it. Its time alone is the question here.
  const isUnit = part === undefined && unit !== undefined && segment.id === unitSpanId(unit.name);
  for (const edit of isUnit ? whole : [...steps, ...whole]) {
    for (const target of targetsOf(record, path)) {
      const saving = savedBy(record, edit, { target, atMostUs: partUs });
      if (saving) return { saving, command: `boot what-if ${renderEdit(edit)} --target ${quoted(target)}` };
    }
  }
  const saving = { unknown: `the what-if model does not include ${link?.name ?? segment.name}` };
  return { saving, command: 'boot blame' };
}

/** In whole milliseconds, to be typed. */
function remainingUs(unit: Unit, partUs: number): number {
  return Math.max(0, Math.floor((startTookUs(unit) - partUs) / 1000) * 1000);
}

/** The end of the boot, else the last unit on the path that systemd ordered. */
function targetsOf(record: BootRecord, path: BootPath): string[] {
  const last = path.links.findLast((link) => unitOf(record, link) !== undefined);
  return [...(path.endsAt === 'last event' ? [] : [path.endsAt]), ...(last ? [last.name] : [])];
}

/** Undefined if the model has no such target or step, or if the name means more than this step. */
function savedBy(
  record: BootRecord,
  edit: WhatIfEdit,
  { target, atMostUs }: { target: string; atMostUs: number },
): FindingSaving | undefined {
  try {
    const { savedUs, notes } = whatIf(record, [edit], target);
    if (savedUs > atMostUs + ROUNDING_US) return undefined;
    const limits = new Set(whatIf(record, [], target).notes);
    const [note] = notes.filter((one) => !limits.has(one));
    return { savedUs, of: target, ...(note !== undefined && { note }) };
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** For a POSIX shell. */
export function quoted(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) && !word.startsWith('-') ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const ENDS: Readonly<Record<string, string>> = {
  'node-ready': 'Ready',
  'node-registered': 'Registered, not yet Ready,',
  'startup-finished': 'Startup finished',
  'last event': 'The last known event is',
};

/** `Ready after 2min 16s: 47s of it is headstart-node.service; 21s kubelet start; 3s no input explains.` */
export function answerSentence(path: BootPath): string {
  const totalUs = path.endUs - path.startUs;
  if (path.segments.length === 0) return 'No input measures how long the boot took.';
  const places = largestFirst(path.segments.filter(({ kind }) => kind !== 'gap'));
  const shown = places.filter(({ tookUs }, at) => at === 0 || (at < 3 && tookUs >= totalUs * 0.08));
  const gapUs = path.segments.reduce((us, one) => us + (one.kind === 'gap' ? one.endUs - one.startUs : 0), 0);
  const parts = shown.map(({ segment, tookUs }, at) => {
    const what = segment.kind === 'wait' ? `waiting (${segment.wait ?? segment.name})` : segment.name;
    return `${roundSpan(tookUs)}${at === 0 ? ' of it is' : ''} ${what}`;
  });
  if (gapUs >= totalUs * 0.02) parts.push(`${roundSpan(gapUs)} no input explains`);
  const ends = ENDS[path.endsAt] ?? path.endsAt;
  return `${ends} after ${roundSpan(totalUs)}${parts.length > 0 ? `: ${parts.join('; ')}` : ''}.`;
}

/** For a sentence: seconds from ten seconds on, else tenths of a second or milliseconds. */
export function roundSpan(us: number): string {
  const unitUs = us >= 10_000_000 ? 1_000_000 : us >= 1_000_000 ? 100_000 : 1000;
  return formatSpan(Math.round(us / unitUs) * unitUs).replace(/(\.\d)00s$/, '$1s');
}
